-- read_as: the type that jsonb_to_record gives the sent value. It keeps every digit, and reads arrays, composites and
-- whatever else has a text form. trim and the like act on what the rules were judged on: service.normalized_text.
create or replace function service.stored_expression(field text, property service.properties, unwraps text, out read_as text, out expression text)
  language plpgsql stable as $$
declare
  sent text := format('r.%I', field);
  rules jsonb := coalesce(property.attributes -> 'validation', '{}');
begin
  read_as := property.sql_type;
  expression := sent;
  if unwraps is not null then
    read_as := 'jsonb';
    expression := format('(case jsonb_typeof(%1$s) when ''object'' then coalesce(%1$s ->> %2$L, %1$s ->> ''id'') else %1$s #>> ''{}'' end)::%3$s', sent, unwraps, property.sql_type);
  elsif property.sql_type in ('smallint', 'integer', 'bigint') then
    -- 1.0 is a whole number; service.fits_type has refused 1.5.
    read_as := 'numeric';
  elsif property.sql_type = 'bytea' then
    read_as := 'text';
    expression := format('decode(%s, ''base64'')', sent);
  elsif property.sql_type = 'bytea[]' then
    read_as := 'text[]';
    expression := format('case when %1$s is not null then array(select decode(e.item, ''base64'') from unnest(%1$s) with ordinality e (item, n) order by e.n) end', sent);
  elsif property.sql_type = 'timestamp without time zone' then
    -- These columns hold UTC; an offset that the client sent is honoured.
    read_as := 'timestamp with time zone';
    expression := format('%s at time zone ''UTC''', sent);
  elsif property.sql_type = 'timestamp without time zone[]' then
    read_as := 'timestamp with time zone[]';
    expression := format('case when %1$s is not null then array(select e.item at time zone ''UTC'' from unnest(%1$s) with ordinality e (item, n) order by e.n) end', sent);
  elsif property.type = 'string' and (rules -> 'trim' = 'true' or rules -> 'lowercase' = 'true' or rules -> 'uppercase' = 'true') then
    read_as := 'text';
    expression := format('service.normalized_text(%s, %L)::%s', sent, jsonb_build_object('trim', rules -> 'trim', 'lowercase', rules -> 'lowercase', 'uppercase', rules -> 'uppercase'), property.sql_type);
  end if;
end $$;

comment on function service.stored_expression(text, service.properties, text) is
  'SQL text of what a sent field (r.field) puts into its column, and the type to read it as.';

revoke all on function service.stored_expression(text, service.properties, text) from public;

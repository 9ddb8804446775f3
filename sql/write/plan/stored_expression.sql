-- read_as: the type that jsonb_to_record gives the sent value. It keeps every digit, and reads arrays, composites and
-- every other type with a text form. trim and similar operations act on the text that was validated:
-- service_private.normalized_text.
create or replace function service_private.stored_expression(
  field text, property service.properties, unwraps text, out read_as text, out expression text)
  language plpgsql stable as $$
declare
  sent constant text := format('r.%I', field);
  type constant text := property.sql_type;
  -- A list of a domain is not read as one of its base type.
  items constant text := (
    select service_private.sql_type(t.typelem) || '[]' from pg_catalog.pg_type t
    where t.oid = to_regtype(property.sql_type) and t.typcategory = 'A');
  normalized constant jsonb := (
    select jsonb_object_agg(r.key, r.value)
    from jsonb_each(property.attributes -> 'validation') r
    where property.type = 'string' and r.key in ('trim', 'lowercase', 'uppercase') and r.value = 'true');
begin
  read_as := type;
  expression := sent;
  if unwraps is not null then
    read_as := 'jsonb';
    expression := service_private.fill('
      (case jsonb_typeof(<sent>) when ''object'' then coalesce(<sent> ->> <key>, <sent> ->> ''id'') else <sent> #>> ''{}'' end)::<type>',
      'sent', sent, 'key', quote_literal(unwraps), 'type', type);
  elsif type in ('smallint', 'integer', 'bigint') then
    -- 1.0 is a whole number; service_private.fits_type has refused 1.5.
    read_as := 'numeric';
  elsif 'bytea' = type or 'bytea[]' = items then
    read_as := case when items is null then 'text' else 'text[]' end;
    expression := service_private.item_expression(sent, read_as, 'decode(<item>, ''base64'')');
  elsif type in ('timestamp without time zone', 'timestamp without time zone[]') then
    -- These columns hold UTC; an offset that the client sent is honoured.
    read_as := replace(type, 'without', 'with');
    expression := service_private.item_expression(sent, type, '<item> at time zone ''UTC''');
  elsif normalized is not null then
    read_as := 'text';
    expression := format('service_private.normalized_text(%s, %L)::%s', sent, normalized, type);
  end if;
end $$;

comment on function service_private.stored_expression(text, service.properties, text) is
  'SQL text of what a sent field (r.field) puts into its column, and the type to read it as.';

-- A key's own expression may come as the template literal that it is in code.
create or replace function service_private.default_clause(definition jsonb, is_key boolean, sql_type text) returns text
  language plpgsql stable as $$
declare
  made_by constant text := case when is_key and jsonb_typeof(definition -> 'isId') = 'string' then definition ->> 'isId' end;
  value constant jsonb := nullif(definition -> 'defaultValue', 'null');
begin
  return case
    when service_private.is_identity(definition, is_key) then null
    when made_by = 'uuid' then 'gen_random_uuid()'
    when made_by not in ('manual', 'increment') then coalesce(substring(btrim(made_by) from '^sql`(.*)`$'), made_by)
    when definition ->> 'autoValue' in ('on_create', 'on_update') then
      case sql_type when 'timestamp with time zone' then 'now()' else '(now() at time zone ''UTC'')' end
    when value is null or service_private.default_problem(definition, sql_type) is not null then null
    when sql_type like '%[]' then service_private.plain_literal(service_private.texts(value)::text) || '::' || sql_type
    when jsonb_typeof(value) in ('object', 'array') then service_private.plain_literal(value::text) || '::' || sql_type
    when jsonb_typeof(value) = 'string' then service_private.plain_literal(value #>> '{}')
    else value #>> '{}'
  end;
end $$;

comment on function service_private.default_clause(jsonb, boolean, text) is
  'The SQL expression that a column has where a row leaves it out, as its property declares it; null without one.';

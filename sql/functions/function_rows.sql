create or replace function service_private.function_rows(shape jsonb) returns text
  language plpgsql stable as $$
declare
  columns text[] := array(
    select c.column_name from service_private.endpoint_columns((service_private.called_endpoint(shape)).oid) c order by c.n);
  is_value boolean := (
    select t.typtype <> 'c' and p.prorettype <> 'pg_catalog.record'::regtype
    from pg_catalog.pg_proc p join pg_catalog.pg_type t on t.oid = service_private.base_type(p.prorettype)
    where p.oid = (service_private.called_endpoint(shape)).oid);
begin
  return case when is_value
    then format('(select u.e as %I from %s u (e))', columns[1], service_private.function_call(shape))
    else service_private.function_call(shape) end;
end $$;

comment on function service_private.function_rows(jsonb) is
  'SQL text, after FROM, of the rows that a call returns, under their columns'' names.';

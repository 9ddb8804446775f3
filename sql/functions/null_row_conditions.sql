-- OUT arguments always make a row; a row type can be null, which FROM shows as a row of nulls.
create or replace function service_private.null_row_conditions(shape jsonb) returns text[]
  language plpgsql stable as $$
begin
  return case when (
      select p.prorettype = 'pg_catalog.record'::regtype from pg_catalog.pg_proc p
      where p.oid = (service_private.called_endpoint(shape)).oid)
    then '{}' else array['not (t is null)'] end;
end $$;

comment on function service_private.null_row_conditions(jsonb) is
  'SQL text, as conditions, that leave out the row of nulls of a call that returned no row.';

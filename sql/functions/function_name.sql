create or replace function service_private.function_name(function oid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid))
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.oid = function_name.function);
end $$;

comment on function service_private.function_name(oid) is 'A function with its schema and the types of its arguments, as SQL names it.';

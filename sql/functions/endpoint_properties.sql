create or replace function service_private.endpoint_properties(collection text) returns setof service.properties
  language plpgsql stable as $$
declare
  function oid;
begin
  select p.oid into function
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace and service_private.may_hold_endpoints(n.nspname)
  where p.proname = substr(collection, length('functions/') + 1)
    and (service_private.endpoint_tags(pg_catalog.obj_description(p.oid, 'pg_proc'))).is_endpoint;
  return query
    select endpoint_properties.collection, c.name, c.column_name, c.n::integer, service_private.property_type(c.type),
      service_private.sql_type(c.type), false, false, true, false, null::text[], null::text[], '{}'::jsonb
    from service_private.endpoint_columns(function) c;
end $$;

comment on function service_private.endpoint_properties(text) is
  'The columns of the rows that an endpoint returns, as properties of a collection functions/<its name>.';

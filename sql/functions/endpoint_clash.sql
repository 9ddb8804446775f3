create or replace function service_private.endpoint_clash(function oid) returns text
  language plpgsql stable as $$
begin
  return (
    select case when count(*) > 0
      then 'other functions are declared under its name: ' || string_agg(service_private.function_name(o.oid), ', ' order by o.oid) end
    from pg_proc p
    join pg_proc o on o.proname = p.proname and o.oid <> p.oid
    join pg_namespace n on n.oid = o.pronamespace and service_private.may_hold_endpoints(n.nspname)
    where p.oid = endpoint_clash.function
      and (service_private.endpoint_tags(obj_description(o.oid, 'pg_proc'))).is_endpoint);
end $$;

comment on function service_private.endpoint_clash(oid) is 'The other endpoints of a function''s name, in words; null where there is none.';

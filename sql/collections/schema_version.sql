-- Labels, rules and callbacks of a collection are not in it: an SDK that was generated before they changed still fits.
create or replace function service_private.schema_version() returns text
  language sql stable
begin atomic
  select service_private.fingerprint(array_agg(line)) from (
    select to_jsonb(c.slug)::text as line from service.collections c
    union all select (to_jsonb(p) - 'position')::text from service.properties p
    union all select to_jsonb(r)::text from service.relations r
    union all select u::text from service_private.unvalidated_keys() u) l;
end;

comment on function service_private.schema_version() is
  'The hash that stands for the collections of the catalog, their properties and relations.';

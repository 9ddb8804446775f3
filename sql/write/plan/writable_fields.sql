create or replace function service_private.writable_fields(collection text, roles text[]) returns text[]
  language sql stable
begin atomic
  select coalesce(array_agg(p.name order by p.position), '{}')
  from service.properties p
  where p.collection = writable_fields.collection and not p.excluded and not p.generated and service_private.readable(p, roles)
    and (p.write_roles is null or p.write_roles && roles or ('admin' = any (roles) and p.write_roles <> '{}'));
end;

comment on function service_private.writable_fields(text, text[]) is
  'The field names that an error message may offer to holders of these roles who write: those that they may write and read, in the '
  'order of the columns.';

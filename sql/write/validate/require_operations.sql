-- A refused bound reveals the stored value, so a field that the caller cannot read as stored can only be set.
create or replace function service_private.require_operations(served service.collections, operations jsonb, sent text[], roles text[])
  returns void
  language plpgsql stable as $$
declare
  used record;
begin
  for used in
    select o.key as field, o.value as operation, s.property, s.unwraps,
      (s.property).type = case o.value when '$inc' then 'number' when '$merge' then 'map' else 'array' end as fits,
      (select count(*) from service_private.sent_fields(served, sent) f where (f.property).column_name = (s.property).column_name) as times
    from jsonb_each_text(operations) o
    join service_private.sent_fields(served, array[o.key]) s on true
    order by o.key
  loop
    perform service_private.require_unmasked(used.property, roles);
    -- An element that equals the operand, and is removed, reveals all its parts.
    if used.operation = '$pull' then
      perform service_private.require_open_path(used.property, '{}', roles);
      if service_private.closed_parts_of(used.property, roles, 'write') is not null then
        perform service_private.refuse_unwritable(served.slug, array[used.field]);
      end if;
    end if;
    if not used.fits or used.unwraps is not null or used.times > 1 or (used.property).attributes ? 'autoValue'
      or (used.property).name = any (served.key) or (used.operation = '$pull' and (used.property).attributes ? 'arrayDimensions')
      or not exists (select from service.properties p where p.collection = served.slug and p.name = (used.property).name)
    then
      perform service.fail(400, 'INVALID_FIELD_OPERATION', format('%s is nothing for %s.', used.field, used.operation),
        jsonb_build_object('collection', served.slug, 'field', used.field));
    end if;
  end loop;
end $$;

comment on function service_private.require_operations(service.collections, jsonb, text[], text[]) is
  'Nothing, or what is wrong with operations (service_private.sent_operations) on fields that these roles may write: GW400 '
  'FIELD_NOT_READABLE, FIELD_NOT_WRITABLE (a $pull from a list with parts that are closed to them), INVALID_FIELD_OPERATION {collection, '
  'field} for a field of another type, a key, a stamp, a column that is sent twice, or a $pull from an array of several dimensions.';

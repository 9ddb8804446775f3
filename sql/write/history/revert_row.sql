-- Only what differs is written. So a field that is closed to the caller is refused where it would change and else does not
-- matter, and the mark of a soft delete is taken away from a deleted row and from no other.
-- The values were stored before, so they are not judged; nor can one of them be an operation.
create or replace function service_private.revert_row(caller text[], request jsonb) returns json
  language plpgsql volatile as $$
declare
  entered boolean := service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
  roles constant text[] := string_to_array(service.roles(), ',');
  slug constant text := request -> 'path' ->> 0;
  id constant text := request -> 'path' ->> 1;
  reverting constant jsonb := service_private.revert_plan(slug, roles);
  wanted jsonb := jsonb_build_object('op', 'update', 'path', request -> 'path');
  stored jsonb;
  entry jsonb;
  plan jsonb;
begin
  if service_private.is_readable_id(id, reverting -> 'keyTypes') then
    stored := service_private.run_planned(reverting ->> 'current', array[null, id]);
  end if;
  if stored is null then
    perform service_private.require_found(wanted, null);
  end if;
  entry := service_private.history_entry(slug, stored ->> 'id', request ->> 'entry');
  if not entry ?| array(select jsonb_object_keys(reverting -> 'fields')) then
    perform service.fail(400, 'BAD_REQUEST', 'This entry has no values that this caller could bring back.',
      jsonb_build_object('collection', slug));
  end if;
  wanted := wanted || jsonb_build_object('body', service_private.reverted_fields(reverting -> 'fields', stored -> 'row', entry));
  plan := service_private.write_plan(jsonb_build_object('op', 'update', 'collection', slug,
    'body', array(select b.name from jsonb_object_keys(wanted -> 'body') b (name) order by b.name collate "C")), roles);
  return json_build_object(
    'data', service_private.read_back(plan ->> 'reply', caller, service_private.run_write(wanted, plan, null)),
    'meta', json_build_object('reverted_from', lower(request ->> 'entry')));
end $$;

comment on function service_private.revert_row(text[], jsonb) is
  'Writes the values of an entry of its history into a row, as this caller (the five values of service.enter), by an ordinary update. '
  'request: {"path": [slug, id], "entry": the entry''s id}. Returns {data: the row as this caller reads it, meta: {reverted_from}}. Fields '
  'that the caller may not read stay as they are. Errors: GW404 NOT_FOUND; GW400 BAD_REQUEST for an entry of another row, one without '
  'values for this caller, a collection without history; FIELD_NOT_WRITABLE, VALIDATION_EXCLUDED_FIELDS for a closed field that would '
  'change; GW403 WRITE_DENIED; and the database''s own.';

grant execute on function service_private.revert_row(text[], jsonb) to service_user;

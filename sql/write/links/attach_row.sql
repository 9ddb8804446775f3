create or replace function service_private.attach_row(request jsonb, attach jsonb, id text) returns void
  language plpgsql volatile as $$
declare
  parameters constant text[] := array[
    jsonb_build_array(jsonb_build_object('id', id))::text, null, null, request ->> 'above'];
begin
  perform service_private.run_planned(attach ->> 'statement', parameters);
  perform service_private.require_linked(attach, service_private.run_planned(attach ->> 'state', parameters)::jsonb || '{"kept": false}');
end $$;

comment on function service_private.attach_row(jsonb, jsonb, text) is
  'Links the row of this id with the parent of a nested write, by its plan (service_private.nested_plan), unless it is. Errors as '
  'service_private.require_linked, and the database''s own.';

grant execute on function service_private.attach_row(jsonb, jsonb, text) to service_user;

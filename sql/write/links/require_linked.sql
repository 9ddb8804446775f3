create or replace function service_private.require_linked(link jsonb, state jsonb) returns void
  language plpgsql stable as $$
declare
  field constant text := link ->> 'field';
  unknown constant text := case link ->> 'kind' when 'hasOne' then field else format('%s[%s]', field, state ->> 'unknown') end;
  relation_named constant jsonb := jsonb_build_object('collection', link -> 'of', 'relation', field);
begin
  if state -> 'empty' = 'true' then
    perform service.fail(400, 'RELATION_SOURCE_KEY_EMPTY', format('The row has nothing that %s could lead back to.', field),
      relation_named);
  elsif coalesce(state -> 'unknown', 'null') <> 'null' then
    perform service.fail(400, 'PG_23503', format('%s points to nothing.', unknown), relation_named || jsonb_build_object(
      'dbCode', '23503', 'violations', jsonb_build_array(jsonb_build_object(
        'field', unknown, 'code', 'foreign_key', 'message', format('%s points to nothing.', unknown)))));
  elsif state -> 'empty' = 'null' or coalesce(state -> 'lacking', 'null') <> 'null' or state -> 'kept' = 'true' then
    perform service.fail(403, 'WRITE_DENIED',
      format('Row security does not let this caller write links of %s, or a trigger kept them.', field), relation_named);
  end if;
end $$;

comment on function service_private.require_linked(jsonb, jsonb) is
  'Nothing when the links of a relation (service_private.link_plan) stand as they were asked for (state: service_private.link_state), else '
  'why not: GW400 RELATION_SOURCE_KEY_EMPTY, PG_23503 for a related row that the caller does not see, GW403 WRITE_DENIED; {collection, '
  'relation}.';

grant execute on function service_private.require_linked(jsonb, jsonb) to service_user;

-- The caller has seen the row under row security.
create or replace function service_private.history_entry(collection text, entity text, id text) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  found service.history;
begin
  if service.uid() is null then
    raise insufficient_privilege using message = 'No caller has entered this session: entries are brought back by service.revert().';
  end if;
  if history_entry.id ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then
    select h.* into found from service.history h where h.id = history_entry.id::uuid;
  end if;
  if found.id is null then
    perform service.fail(404, 'NOT_FOUND', 'No such entry in the history of this row.', jsonb_build_object('collection', collection));
  elsif not exists (select from service_private.current_history(collection, entity) h where h.id = found.id) then
    perform service.fail(400, 'BAD_REQUEST', 'This entry is of another row.', jsonb_build_object('collection', collection));
  end if;
  return found.snapshot;
end $$;

comment on function service_private.history_entry(text, text, text) is
  'The service_private.snapshot in an entry of a row''s history. GW404 NOT_FOUND when there is no such entry, GW400 BAD_REQUEST when it is '
  'another row''s.';

grant execute on function service_private.history_entry(text, text, text) to service_user;

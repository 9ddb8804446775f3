create or replace function service_private.file_triggers(event text, key text) returns table (place integer, handler text, params jsonb)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select t.place, t.handler, m.params
  from service.storage_triggers t
  cross join lateral (select service_private.key_parameters(file_triggers.key, t.pattern, t.names) as params) m
  where file_triggers.event = any (t.events) and m.params is not null
  order by t.place;
end;

comment on function service_private.file_triggers(text, text) is
  'The functions that receive this event (finalize, delete) for a file with this key, with the values of the names of their path.';

grant execute on function service_private.file_triggers(text, text) to service_user;

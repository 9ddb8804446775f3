-- The keys are those of advisory locks. Each holder of a lock (key, digest) is a gateway with these settings: the server releases it when
-- the session ends, however that happens, so that a gateway which has died is not taken for one that runs.
create or replace function service_private.settings_digests(settings jsonb) returns table (subject text, key integer, digest integer)
  language sql immutable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select s.key, k.key, hashtext(s.value::text)
  from jsonb_each(settings) s
  join (values ('hooks', 72619461), ('channels', 72619462), ('storage', 72619463), ('realtime', 72619464),
    ('webhooks', 72619465)) k (subject, key)
    on k.subject = s.key;
end;

comment on function service_private.settings_digests(jsonb) is
  'One row for each of hooks, channels, storage, realtime and webhooks that the settings have: the advisory lock (key, digest) that a '
  'gateway with these settings holds while it runs. Equal settings have equal digests, whatever the order of their keys.';

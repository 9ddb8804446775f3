create or replace function service_private.other_gateways(settings jsonb)
  returns table (pid integer, address text, since timestamptz, subjects text[])
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select l.pid, coalesce(host(a.client_addr), 'local'), a.backend_start, array_agg(d.subject order by d.key)
  from pg_locks l
  join service_private.settings_digests(settings) d on l.classid = d.key::oid and l.objid <> d.digest::oid
  left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.objsubid = 2 and l.database = (select d.oid from pg_database d where d.datname = current_database())
  group by l.pid, a.client_addr, a.backend_start
  order by a.backend_start, l.pid;
end;

comment on function service_private.other_gateways(jsonb) is
  'The gateways that run now with other settings than these, each with the subjects that differ (service_private.settings_digests). pid '
  'and address are those of its session; address is local for a session on the database''s own machine.';

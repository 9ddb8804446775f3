create or replace function service.settings_report() returns json
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select json_build_object(
    'settings', s.settings,
    'gateways', coalesce((
      select json_agg(json_build_object('pid', g.pid, 'address', g.address, 'since', g.since, 'differsIn', g.subjects))
      from service_private.other_gateways(s.settings) g), '[]'))
  from (select service_private.standing_settings() as settings) s;
end;

comment on function service.settings_report() is
  'The settings that stand in the database, and the gateways that run now and were started with others: {settings: {hooks, channels, '
  'storage, webhooks}, gateways: [{pid, address, since, differsIn}]}. The settings are those of the last start.';

-- Example: select service.settings_report();

create or replace function service_private.standing_settings() returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select jsonb_build_object(
    'hooks', (select coalesce(jsonb_object_agg(h.hook, h.function), '{}') from service.account_hooks h),
    'channels', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('match', r.match, 'limit', r.most,
        'ttl', (extract(epoch from r.life) * 1000)::bigint)) order by r.place), '[]')
      from service.channel_rules r),
    'storage', (select a.given from service.storage_access a),
    'webhooks', (select coalesce(jsonb_agg(w.given order by w.place), '[]') from service.webhooks w));
end;

comment on function service_private.standing_settings() is
  'The settings that live in the database, as the last start gave them: {hooks, channels, storage, webhooks}, as '
  'service_private.use_account_hooks, service_private.use_channel_rules, service_private.use_storage_rules and '
  'service_private.use_webhooks take them.';

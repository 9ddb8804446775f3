create or replace function service.realtime_report() returns json
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select json_build_object(
    'gateways', coalesce((
      select json_agg(json_build_object(
        'id', r.id, 'sockets', r.sockets, 'subscriptions', r.subscriptions,
        'tables', (select count(*) from service.change_leases l where l.reader = r.id),
        'sleeping', (select bool_or(not l.awake) from service.change_leases l where l.reader = r.id),
        'unheard', (select count(*) from service.changes c where not pg_visible_in_snapshot(c.xid, r.seen)))
        order by r.id)
      from service.change_readers r
      where r.until > clock_timestamp()), '[]'),
    'outbox', (select count(*) from service.changes),
    'silent', coalesce((
      select json_agg(json_build_object('table', p.name, 'problem', coalesce(p.problem, 'it has no triggers'), 'statement', p.statement)
        order by p.name)
      from service.plan_changes() p), '[]'));
end;

comment on function service.realtime_report() is
  'How realtime fares: {gateways: [{id, sockets, subscriptions, tables, sleeping, unheard}], outbox, silent: [{table, problem, '
  'statement}]}. unheard: changes that the gateway had not heard of when it last said so, a quarter of a minute ago at most; outbox: '
  'changes that are kept; silent: tables that do not tell of their changes. A gateway without subscriptions is not among them.';

-- Example: select service.realtime_report();

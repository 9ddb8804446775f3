-- Who commits in which order is not told by numbers: what was not visible in the last snapshot is new. All that is its
-- end and what was under way then; said so, and not by its beginning, one transaction that stays open for long makes nobody look at
-- everything since (both conditions are ranges of the index). The planner knows no number of them, and would read all that is kept:
-- 3 ms of 30,000 changes. In PL/pgSQL, which keeps the plan: it would take longer than the look.
create or replace function service_private.poll_changes(reader uuid, seen pg_snapshot)
  returns table (snapshot text, known boolean, changes json)
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
begin
  return query
  select pg_current_snapshot()::text,
    exists (select from service.change_readers r where r.id = poll_changes.reader and r.until > clock_timestamp()),
    (
      select json_agg(json_build_object('relation', t.relation::bigint, 'keys', t.keys))
      from (
        select c.relation, case when not bool_or(c.keys is null) then array_agg(distinct k.key) end as keys
        from service.changes c
        left join lateral unnest(c.keys) k (key) on true
        where c.xid >= pg_snapshot_xmax(poll_changes.seen)
          or c.xid = any (array(select pg_snapshot_xip(poll_changes.seen)))
        group by c.relation) t);
end $$;

comment on function service_private.poll_changes(uuid, pg_snapshot) is
  'What has changed since a snapshot: changes = [{relation, keys}], keys null where they are not told, null when there are none; '
  'snapshot: what to ask with next. known: false when the gateway counts as gone, and may have missed something. '
  'seen null: nothing has.';

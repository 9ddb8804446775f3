-- Numbers do not show the order of commits: a change that was not visible in the last snapshot is new. These are the
-- ones after its end and those in progress then; with this condition, instead of one on its beginning, a transaction
-- that stays open for long makes no gateway look at everything since (both conditions are ranges of the index). The
-- planner knows no number of them, and would read all that is kept: 3 ms of 30,000 changes. In PL/pgSQL, which keeps
-- the plan: planning would take longer than the query.
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
  'The changes since a snapshot: changes = [{relation, keys}], keys null where they are not recorded, null when there are none; snapshot: '
  'the argument of the next call. known: false when the gateway counts as gone, and may have missed something. seen null: nothing has '
  'changed.';

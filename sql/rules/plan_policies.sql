-- New ones first, then those that no rule asks for any more, so that no restriction is missing in between.
create or replace function service_private.plan_policies(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $body$
#variable_conflict use_column
begin
  return query
  with stored as materialized (
    -- By its words: a pattern that also takes them out takes ten times as long as one that only looks whether they are there.
    select p.oid, p.polrelid, p.polname::text as name,
      coalesce(d.description ~ '^Generated .* meaning:[0-9a-f]+ state:[0-9a-f]+ version:[0-9.]+$', false) as sealed,
      split_part(split_part(d.description, ' ', -3), ':', 2) as meaning,
      split_part(split_part(d.description, ' ', -2), ':', 2) as state,
      split_part(split_part(d.description, ' ', -1), ':', 2) as version
    from pg_policy p
    left join pg_description d on d.classoid = 'pg_policy'::regclass and d.objoid = p.oid
  ), wanted as materialized (
    select w.*, format('%I.%I', w.schema_name, w.table_name) as on_table,
      format('%I.%I.%I', w.schema_name, w.table_name, w.name) as target,
      s.oid, s.sealed, s.meaning as stored_meaning, s.state,
      s.version <> service_private.seal_version() as older
    from service_private.wanted_policies(wanted_tables) w
    left join stored s on s.polrelid = w.relation and s.name = w.name
  -- Not materialized: a statement is written for none but the few that something is to be done about.
  ), made as not materialized (
    select w.*, service_private.policy_statement(w.name, w.on_table, w.clause, w.meaning, w.origin,
      case when w.oid is not null then format('drop policy %I on %s;', w.name, w.on_table) end) as statement
    from wanted w
  )
  select 140, 'policy', m.target, m.statement, false, 'safe', m.origin, null::text
  from made m
  where m.oid is null or (m.sealed and (m.meaning <> m.stored_meaning or m.older))
  union all
  select 140, 'policy', m.target, null, false, 'report',
    format(case when not m.sealed then 'A policy of this name is there that no rule made; the rule of %s has no effect.'
      else 'It was changed by hand and no longer says what %s says.' end, m.origin),
    m.statement
  from made m
  where m.oid is not null and (not m.sealed
    or (m.meaning = m.stored_meaning and not m.older and m.state <> service_private.policy_state(m.oid)))
  union all
  select 141, 'policy', format('%I.%I.%I', t.schema_name, t.table_name, s.name),
    case when s.sealed then format('drop policy %I on %I.%I', s.name, t.schema_name, t.table_name) end,
    false, case when s.sealed then 'safe' else 'report' end,
    case when s.sealed then 'No rule asks for it any more.'
      else 'No rule of a collection made this policy; it applies beside those of the rules.' end, null
  from unnest(wanted_tables) t
  join stored s on s.polrelid = t.oid
  where not exists (select from wanted w where w.relation = t.oid and w.name = s.name);
end $body$;

comment on function service_private.plan_policies(service_private.wanted_table[]) is
  'The part of service.provision_plan() about policies: those of the rules, those no longer asked for, those made or changed by others.';

-- All or nothing. When a step fails the others of its kind are still tried, so that all bad rules are reported at
-- once; later kinds are not, because they would fail of the first. The one exception is a constraint that stored data
-- does not fit: it is withheld. It plans again until nothing is left, because some steps are known only after others
-- (a serial column's sequence). Tried statements are compared from the second plan on, where few are left: to compare
-- each with all before it took most of the time that 500 collections need.
create or replace function service.provision(policies boolean default true) returns setof service.provision_step
  language plpgsql volatile set search_path = public, pg_temp set standard_conforming_strings = on set jit = off as $$
declare
  steps service.provision_step[];
  step service.provision_step;
  tried text[] := '{}';
  reached integer;
  failures jsonb := '[]';
  failed_kind text;
  ran boolean;
  ruled boolean := false;
begin
  perform pg_advisory_xact_lock(7261946173);
  loop
    ran := false;
    reached := 0;
    steps := array(
      select p from service.provision_plan() p
      where (p.kind <> 'policy' or policies) and (p.statement is null or p.statement <> all (tried)));
    foreach step in array steps loop
      exit when step.concurrent or step.kind <> failed_kind;
      reached := reached + 1;
      continue when step.statement is null;
      begin
        execute step.statement;
        ran := true;
        ruled := ruled or step.kind = 'policy';
        return next step;
      exception when others then
        if sqlstate like '23%' or (sqlstate = '42804' and step.kind = 'foreign key') then
          step.verdict := 'withheld';
          step.detail := sqlerrm;
          step.remedy := step.statement;
          step.statement := null;
          return next step;
        else
          failed_kind := step.kind;
          failures := failures || jsonb_build_object('target', step.target, 'statement', step.statement,
            'message', sqlerrm, 'dbCode', sqlstate, 'detail', step.detail, 'remedy', step.remedy);
        end if;
      end;
    end loop;
    exit when not ran or failed_kind is not null;
    tried := tried || array(select s.statement from unnest(steps[1:reached]) s where s.statement is not null);
  end loop;
  if failed_kind is null and ruled then
    failures := (
      select coalesce(jsonb_agg(
        jsonb_build_object('target', u.name, 'message', u.problem, 'detail', u.collection || '.securityRules') order by u.name), '[]')
      from (
        select format('%I.%I', t.schema_name, t.table_name) as name, t.collection, service_private.unusable_reason(t.oid) as problem
        from unnest(service_private.wanted_tables()) t where t.oid is not null offset 0) u
      where u.problem is not null);
  end if;
  if failures <> '[]' then
    perform service.fail(400, 'SCHEMA_CHANGE_FAILED', (
        select string_agg(concat_ws(' ', f ->> 'detail' || ',', f ->> 'target' || ':', f ->> 'message' || '.', f ->> 'remedy'),
          E'\n' order by n)
        from jsonb_array_elements(failures) with ordinality e (f, n)),
      jsonb_build_object('failures', failures));
  end if;
  return query
    select s.step, s.kind, s.target, s.statement, s.concurrent, s.verdict, s.detail, s.remedy
    from unnest(steps) with ordinality s (step, kind, target, statement, concurrent, verdict, detail, remedy, n)
    where s.statement is null
      or (s.n > reached and s.concurrent and not exists (
        select from unnest(steps) with ordinality o (step, kind, target, statement, concurrent, verdict, detail, remedy, n)
        where o.n > reached and o.n < s.n and o.statement is not null and not o.concurrent));
end $$;

comment on function service.provision(boolean) is
  'Runs the statements of service.provision_plan() up to the first that has to run by itself, in one transaction. Returns the statements '
  'that ran, then mere differences (statement is null), then the statements that have to run by themselves next (concurrent): the caller '
  'runs those and calls again, until there are none. A constraint that stored rows or types do not fit is returned as withheld. Any other '
  'failure: GW400 SCHEMA_CHANGE_FAILED with details.failures, and nothing is changed. policies: false leaves policies as they are, for a '
  'project whose migrations bring the functions that rules call; row security is on by then, so that rows without a policy stay hidden. '
  'Unqualified names in rules and defaults mean schema public. Needs the owner; concurrent callers wait for each other.';

-- Example: select kind, target, verdict from service.provision();

-- How many rows there are is what PostgreSQL knows by its last ANALYZE: to count them would read what the plan is to spare.
create or replace function service.schema_plan()
  returns table (
    step integer, kind text, target text, statement text, concurrent boolean, verdict text, detail text, remedy text,
    lock text, effect text, row_estimate bigint, bytes bigint, safer text, risk text)
  language plpgsql stable set jit = off as $$
#variable_conflict use_column
begin
  return query
  with judged as materialized (
    select p.*, e.lock, e.effect, e.safer, t.oid as relation, greatest(t.reltuples, 0)::bigint as row_estimate,
      pg_relation_size(t.oid) as bytes
    from service.provision_plan() p
    left join pg_class t on t.oid = service_private.step_table(p.statement)
    left join lateral (
      select e.lock, e.effect, e.safer
      from service_private.step_effects() e
      where e.kind = p.kind and p.statement ~ e.pattern and t.oid is not null
      order by e.n
      limit 1) e on true
  ), rated as (
    select j.*, case
      when j.statement is null then null
      when j.lock is null or j.bytes = 0 then 'none'
      when j.effect = 'none' or j.concurrent or j.bytes < 1048576 then 'low'
      when j.bytes < 104857600 and j.row_estimate < 100000 then 'medium'
      else 'high' end as risk
    from judged j
  )
  select r.step, r.kind, r.target, r.statement, r.concurrent, r.verdict, r.detail, r.remedy, r.lock, r.effect, r.row_estimate, r.bytes,
    case when r.risk in ('medium', 'high') then r.safer end, r.risk
  from rated r
  order by r.step;
end $$;

comment on function service.schema_plan() is
  'service.provision_plan() with what each statement does to a table that is there: lock (the table lock it takes), effect (none, scan, '
  'rewrite), row_estimate and bytes of the table, safer (the way that holds others up less, where the risk is medium or high), risk: '
  'none (no table, or an empty one), low (a lock for a moment, a scan beside readers and writers, or a table under 1 MiB), medium (a '
  'scan or rewrite that others wait for), high (that of 100 MiB or 100,000 rows). Null for what is only told.';

-- Example: select risk, target, statement, safer from service.schema_plan();

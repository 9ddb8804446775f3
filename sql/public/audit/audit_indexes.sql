create or replace function service.audit_indexes()
  returns table (id text, severity text, target jsonb, detail text, fix text)
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  return query
  with relation as materialized (
    select r.* from service_private.audited_relations() r where r.kind in ('r', 'p', 'm')
  ), index as materialized (
    select i.*, x.relname as name, x.relam, k.conname, k.oid is not null as is_constraint, r.full_name, r.schema_name, r.target,
      string_to_array(i.indkey::text, ' ')::smallint[] as columns
    from pg_index i
    join relation r on r.oid = i.indrelid
    join pg_class x on x.oid = i.indexrelid and not x.relispartition
    left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')
  ), foreign_key as (
    select r.target, r.full_name, f.conname, f.conrelid, f.conkey, c.names[1] as first, array_to_string(c.quoted, ', ') as list
    from pg_constraint f
    join relation r on r.oid = f.conrelid
    cross join lateral (
      select array_agg(a.attname order by k.n) as names, array_agg(quote_ident(a.attname) order by k.n) as quoted
      from unnest(f.conkey) with ordinality k (attnum, n)
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum) c
    where f.contype = 'f' and f.conparentid = 0
  ), equal as (
    -- Kept is what a constraint or replication stands on, then the oldest.
    select i.*, first_value(i.name) over same as kept, row_number() over same as n
    from index i
    window same as (
      partition by i.indrelid, i.relam, i.indkey::text, i.indclass::text, i.indcollation::text, i.indoption::text, i.indnkeyatts,
        i.indisunique, i.indnullsnotdistinct, i.indisexclusion, pg_get_expr(i.indpred, i.indrelid), pg_get_expr(i.indexprs, i.indrelid)
      order by i.indisprimary desc, i.indisreplident desc, i.is_constraint desc, i.indexrelid)
  )
  select 'foreign-key-unindexed', null::text, f.target || jsonb_build_object('column', f.first),
    format('%I on %s (%s) has no index that begins with its columns.', f.conname, f.full_name, f.list),
    format('create index on %s (%s);', f.full_name, f.list)
  from foreign_key f
  where not exists (
    select from index i
    where i.indrelid = f.conrelid and i.indisvalid and i.indpred is null
      and i.columns[:cardinality(f.conkey)] @> f.conkey and i.columns[:cardinality(f.conkey)] <@ f.conkey)
  union all
  select 'duplicate-index', null, e.target, format('%I on %s is the same as %I.', e.name, e.full_name, e.kept),
    case when e.is_constraint then format('alter table %s drop constraint %I;', e.full_name, e.conname)
      else format('drop index %I.%I;', e.schema_name, e.name) end
  from equal e
  where e.n > 1;
end $$;

comment on function service.audit_indexes() is 'The part of service.audit() about indexes (service.audit_tables says what is returned).';

-- Example: select severity, target, detail, fix from service.audit_indexes();

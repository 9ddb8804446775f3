-- Two rules of one name: the second gets its hash as well. Equal rules are one policy.
create or replace function service.wanted_policies()
  returns table (schema_name text, table_name text, relation oid, name text, clause text, meaning text, origin text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with policy as (
    select * from service.collection_policies()
    union all
    select * from service.junction_policies()
    union all
    select * from service.tenant_policies()
  ), written as (
    select p.*, concat_ws(' ', 'as', case when p.permissive then 'permissive' else 'restrictive' end, 'for', p.operation,
        'to', (select string_agg(case r when 'public' then r else quote_ident(r) end, ', ') from unnest(p.roles) r),
        'using (' || p.using_clause || ')', 'with check (' || p.check_clause || ')') as clause
    from policy p
  ), named as (
    select w.*, h.hash, service.short_name(w.stem, coalesce(w.suffix, '_' || w.operation || '_' || h.hash)) as name
    from written w
    cross join lateral (select service.short_hash(w.clause) as hash) h
  ), numbered as (
    select n.*, dense_rank() over (partition by n.schema_name, n.table_name, n.name order by n.clause) as rank,
      row_number() over (partition by n.schema_name, n.table_name, n.name, n.clause order by n.origin) as repeated
    from named n
  )
  select n.schema_name, n.table_name, n.relation,
    case n.rank when 1 then n.name else service.short_name(n.name, '_' || n.hash) end, n.clause,
    left(encode(sha256(convert_to(n.clause, 'UTF8')), 'hex'), 16), n.origin
  from numbered n
  where n.repeated = 1;
end $$;

comment on function service.wanted_policies() is
  'Every policy that collection files ask for: its name, what stands behind "create policy … on …", a hash of that, and where it '
  'comes from.';

revoke all on function service.wanted_policies() from public;

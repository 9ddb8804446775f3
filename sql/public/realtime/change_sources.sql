create or replace function service.change_sources()
  returns table (collection text, joined text, relation oid, name text, key_column text, key_type text, kind "char", told boolean)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with named as (
    select c.slug as collection, null::text as joined, c.schema_name, c.table_name from service.collections c
    union
    select r.collection, r.target, r.junction_schema, r.junction_table from service.relations r where r.junction_table is not null
    union
    select r.collection, r.target, s.step ->> 'schema', s.step ->> 'table'
    from service.relations r
    cross join jsonb_array_elements(r.via -> 'steps') s (step)
  ), read as materialized (
    select n.collection, n.joined, to_regclass(format('%I.%I', n.schema_name, n.table_name))::oid as root from named n
  ), beneath as materialized (
    select b.* from service_private.underlying_tables(array(select distinct r.root from read r where r.root is not null)) b
  ), key as materialized (
    select k.* from service_private.change_keys(array(select distinct b.relation from beneath b where b.same)) k
  )
  select r.collection, r.joined, b.relation, format('%I.%I', n.nspname, c.relname), k.column_name, k.type, c.relkind, t.told
  from read r
  join beneath b on b.root = r.root
  join pg_class c on c.oid = b.relation
  join pg_namespace n on n.oid = c.relnamespace
  cross join lateral (
    select count(*) = 4 as told from pg_trigger g
    where g.tgrelid = b.relation and g.tgfoid = 'service_private.announce_change'::regproc and g.tgenabled in ('O', 'A')) t
  left join key k on b.same and r.joined is null and k.relation = b.relation and exists (
    select from service.collections s
    join service.properties p on p.collection = s.slug and s.key = array[p.name] and p.column_name = k.column_name
    where s.slug = r.collection);
end;

comment on function service.change_sources() is
  'The tables that a read of each collection reads; joined: only with this other collection, by a relation. key_column, key_type '
  '(service_private.change_keys): where a row of the collection is the row of that table with the same key. kind: pg_class.relkind; told: '
  'it has all its triggers, so that its changes are told.';

-- Example: select collection, name, told from service.change_sources();

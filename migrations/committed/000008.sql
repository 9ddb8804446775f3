--! Previous: sha1:19e7291c68df9028df9b01ca957e82e9518c9e94
--! Hash: sha1:fc4b6bd33e6ee26272d3bd6703bfcff6abb6884f

-- One trigger stamps all of a table's rows; what stamped single columns goes. The next start makes the new ones.
do $$
declare
  old record;
begin
  for old in select g.tgname, g.tgrelid::regclass as on_table from pg_catalog.pg_trigger g where g.tgfoid = 'service.touch'::regproc loop
    execute format('drop trigger %I on %s', old.tgname, old.on_table);
  end loop;
end $$;
drop function service.touch();

-- Its rows have other columns now; with it goes what reads them, and comes again below.
drop function service.wanted_columns() cascade;
--! Included provision/wanted_tables.sql
-- A junction that is a collection as well is the collection's. A name that a view or a foreign table has is not
-- ours, and what is read-only is somebody else's to make.
create or replace function service.wanted_tables()
  returns table (schema_name text, table_name text, collection text, key text[], read_only boolean, soft_delete text, oid oid)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with declared as (
    select c.schema_name, c.table_name, c.slug, c.read_only, array_agg(p.column_name order by k.n) as key,
      case jsonb_typeof(c.definition -> 'softDelete') when 'boolean' then case when (c.definition ->> 'softDelete')::boolean then 'deletedAt' end
        else c.definition #>> '{softDelete,field}' end as stamp
    from service.collections c
    cross join unnest(c.key) with ordinality k (name, n)
    join service.properties p on p.collection = c.slug and p.name = k.name
    where c.source = 'file'
    group by c.slug
  ), linked as (
    select distinct on (r.junction_schema, r.junction_table) r.junction_schema, r.junction_table, r.junction_source || r.junction_target as key
    from service.relations r
    join service.collections c on c.slug = r.collection and c.source = 'file'
    where r.kind = 'manyToMany'
      and not exists (select from service.collections o where o.schema_name = r.junction_schema and o.table_name = r.junction_table)
    order by r.junction_schema, r.junction_table, r.collection, r.name
  ), wanted as (
    select d.schema_name, d.table_name, d.slug, d.key, d.read_only, p.column_name as soft_delete
    from declared d
    left join service.properties p on p.collection = d.slug and p.name = d.stamp
    union all
    select l.junction_schema, l.junction_table, null, l.key, false, null from linked l
  )
  select w.schema_name, w.table_name, w.slug, w.key, w.read_only, w.soft_delete, r.oid
  from wanted w
  left join pg_namespace n on n.nspname = w.schema_name
  left join pg_class r on r.relnamespace = n.oid and r.relname = w.table_name
  where (r.oid is null and not w.read_only) or r.relkind in ('r', 'p');
end;

comment on function service.wanted_tables() is
  'The tables that collection files ask for: those of the collections, and the junctions of many-to-many relations (collection is null). oid is null while there is none.';

revoke all on function service.wanted_tables() from public;
--! EndIncluded provision/wanted_tables.sql
--! Included provision/wanted_foreign_keys.sql
-- Two relations over one column are one foreign key, and so are the two sides of a junction: the first one says what
-- happens on delete.
create or replace function service.wanted_foreign_keys()
  returns table (schema_name text, table_name text, relation oid, name text, columns text[], target_schema text, target_table text, target_columns text[], on_delete text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with declared as (
    select c.schema_name, c.table_name, r.local_columns as columns, r.target, r.target_columns, r.collection, r.name,
      coalesce(r.on_delete, case when exists (
        select from service.properties p where p.collection = r.collection and p.column_name = any (r.local_columns) and p.not_null) then 'restrict' else 'set null' end) as on_delete
    from service.relations r
    join service.collections c on c.slug = r.collection and c.source = 'file'
    where r.kind = 'belongsTo'
    union all
    select r.junction_schema, r.junction_table, r.junction_source, r.collection, r.local_columns, r.collection, r.name, coalesce(r.on_delete, 'cascade')
    from service.relations r
    where r.kind = 'manyToMany'
    union all
    select r.junction_schema, r.junction_table, r.junction_target, r.target, r.target_columns, r.collection, r.name, coalesce(r.on_delete, 'cascade')
    from service.relations r
    where r.kind = 'manyToMany'
  ), first as (
    select distinct on (d.schema_name, d.table_name, d.columns) d.*
    from declared d
    order by d.schema_name, d.table_name, d.columns, d.collection, d.name
  )
  select t.schema_name, t.table_name, t.oid, service.short_name(t.table_name || '_' || array_to_string(f.columns, '_'), '_fkey'), f.columns,
    c.schema_name, c.table_name, f.target_columns, f.on_delete
  from first f
  join service.wanted_tables() t on t.schema_name = f.schema_name and t.table_name = f.table_name
  join service.collections c on c.slug = f.target
  left join pg_namespace n on n.nspname = c.schema_name
  left join pg_class r on r.relnamespace = n.oid and r.relname = c.table_name
  where (r.oid is null and not c.read_only) or r.relkind in ('r', 'p');
end;

comment on function service.wanted_foreign_keys() is
  'The foreign keys that the belongsTo relations and the junctions of collection files ask for. Nothing refers to a view.';

revoke all on function service.wanted_foreign_keys() from public;
--! EndIncluded provision/wanted_foreign_keys.sql
--! Included provision/wanted_columns.sql
-- A junction's own columns have the type of what they refer to; a serial there would count by itself.
create or replace function service.wanted_columns()
  returns table (schema_name text, table_name text, relation oid, attnum smallint, name text, "position" integer, type text, default_value text,
    identity boolean, is_unique boolean, not_null boolean, stamp text, in_key boolean, enum_type jsonb, vector_index jsonb)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with link as (
    select r.junction_schema, r.junction_table, e.name, e.rank * 1000 + e.n as "position", p.attributes #>> '{column,type}' as type, p.sql_type
    from service.relations r
    cross join lateral (
      select s.name, s.refers, s.n, 0 as rank, r.collection from unnest(r.junction_source, r.local_columns) with ordinality s (name, refers, n)
      union all
      select t.name, t.refers, t.n, 1, r.target from unnest(r.junction_target, r.target_columns) with ordinality t (name, refers, n)
    ) e
    join service.properties p on p.collection = e.collection and p.column_name = e.refers
    where r.kind = 'manyToMany'
  ), declared as (
    select t.schema_name, t.table_name, p.column_name as name, p."position", p.not_null, p.attributes -> 'column' as spec, 1 as rank
    from service.wanted_tables() t
    join service.properties p on p.collection = t.collection
    where p.attributes ? 'column'
    union all
    select l.junction_schema, l.junction_table, l.name, l."position", true, jsonb_build_object('type',
      case coalesce(l.type, l.sql_type) when 'smallserial' then 'smallint' when 'serial' then 'integer' when 'bigserial' then 'bigint' else coalesce(l.type, l.sql_type) end), 2
    from link l
    union all
    select r.junction_schema, r.junction_table, e.pivot ->> 'columnName', 10000 + e.n, (coalesce(e.pivot -> 'notNull', e.pivot -> 'required', 'false'))::boolean,
      e.pivot #> '{attributes,column}', 3
    from service.relations r
    cross join jsonb_array_elements(r.pivot) with ordinality e (pivot, n)
    where r.kind = 'manyToMany' and jsonb_typeof(r.pivot) = 'array' and e.pivot #> '{attributes,column}' is not null
  ), first as (
    select distinct on (d.schema_name, d.table_name, d.name) d.*
    from declared d
    order by d.schema_name, d.table_name, d.name, d.rank, d."position"
  )
  select t.schema_name, t.table_name, t.oid, a.attnum, f.name, f."position",
    case when f.spec ->> 'type' ~ '(^|\.)vector(\(|$)' then quote_ident(v.schema_name) || '.vector' || coalesce(substring(f.spec ->> 'type' from '\(\d+\)$'), '') else f.spec ->> 'type' end,
    f.spec ->> 'default', coalesce((f.spec ->> 'identity')::boolean, false), coalesce((f.spec ->> 'unique')::boolean, false), f.not_null,
    f.spec ->> 'stamp', f.name = any (t.key), nullif(f.spec -> 'enumType', 'null'), nullif(f.spec -> 'index', 'null')
  from first f
  join service.wanted_tables() t on t.schema_name = f.schema_name and t.table_name = f.table_name
  cross join (select service.vector_schema() as schema_name) v
  left join pg_attribute a on a.attrelid = t.oid and a.attname = f.name and a.attnum > 0 and not a.attisdropped;
end;

comment on function service.wanted_columns() is
  'The columns that collection files ask for. attnum is null while the table has none of that name. type is null for a vector where the server has no pgvector.';

revoke all on function service.wanted_columns() from public;
--! EndIncluded provision/wanted_columns.sql
--! Included provision/stamp_body.sql
-- The setting instead of service.uid(): any role that may write the table comes through here, whatever it may call.
create or replace function service.stamp_body(names text[], types text[], stamps text[], soft_delete text) returns text
  language sql immutable
begin atomic
  with stamp as (
    select s.n, quote_ident(s.name) as name, s.stamp,
      case
        when s.stamp like 'on\_%' then case s.type when 'timestamp with time zone' then 'now()' else 'now() at time zone ''UTC''' end
        -- An account whose id is no uuid leaves none.
        when s.type = 'uuid' then 'case when caller ~ ''^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'' then caller::uuid end'
        else 'caller' end as value
    from unnest(names, types, stamps) with ordinality s (name, type, stamp, n)
  ), assignment as (
    select string_agg(format('      new.%s := %s;', a.name, a.value), E'\n' order by a.n) as created,
      string_agg(format('      new.%s := %s;', a.name, case a.stamp when 'user_on_update' then a.value else 'old.' || a.name end), E'\n' order by a.n) filter (where a.stamp <> 'on_update') as kept,
      string_agg(format('    new.%s := %s;', a.name, case when soft_delete is null then a.value
        else format('case when old.%1$I is null and new.%1$I is not null then old.%2$s else %3$s end', soft_delete, a.name, a.value) end), E'\n' order by a.n) filter (where a.stamp = 'on_update') as moved
    from stamp a
  )
  select concat_ws(E'\n', '',
    'declare',
    '  caller text := nullif(current_setting(''app.uid'', true), '''');',
    'begin',
    '  -- A request never says a stamp. Who works on the table outside of one, a migration or a restore, may bring old ones along.',
    '  if caller is not null or current_user = ''service_user'' then',
    '    caller := nullif(caller, ''anonymous'');',
    '    if tg_op = ''INSERT'' then',
    a.created,
    '    else',
    coalesce(a.kept, '      null;'),
    '    end if;',
    '  end if;',
    E'  if tg_op = ''UPDATE'' then\n' || a.moved || E'\n  end if;',
    '  return new;',
    'end ')
  from assignment a;
end;

comment on function service.stamp_body(text[], text[], text[], text) is
  'The PL/pgSQL of the trigger function that stamps columns of these names and types (without length): on_create, on_update (the time), user_on_create, user_on_update (the caller''s uid, null without a sign-in). soft_delete: the column that a soft delete sets, which moves no on_update.';

revoke all on function service.stamp_body(text[], text[], text[], text) from public;
--! EndIncluded provision/stamp_body.sql
--! Included provision/wanted_stamps.sql
create or replace function service.wanted_stamps()
  returns table (schema_name text, table_name text, relation oid, function_for text, body text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select t.schema_name, t.table_name, t.oid, service.short_name(coalesce(t.collection, t.table_name || '__link'), '__stamp'),
    service.stamp_body(array_agg(c.name order by c."position", c.name), array_agg(regexp_replace(c.type, '\(\d+\)', '') order by c."position", c.name),
      array_agg(c.stamp order by c."position", c.name), t.soft_delete)
  from service.wanted_columns() c
  join service.wanted_tables() t on t.schema_name = c.schema_name and t.table_name = c.table_name
  where c.stamp is not null
  group by t.schema_name, t.table_name, t.oid, t.collection, t.soft_delete;
end;

comment on function service.wanted_stamps() is 'The trigger functions that the stamped columns (autoValue) of collection files and junctions ask for, one a table: its name in schema service and its PL/pgSQL.';

revoke all on function service.wanted_stamps() from public;
--! EndIncluded provision/wanted_stamps.sql
--! Included provision/wanted_indexes.sql
-- A foreign key needs no index of its own where the key, a unique column or another whole index begins with its column.
create or replace function service.wanted_indexes()
  returns table (schema_name text, table_name text, relation oid, kind text, name text, is_unique boolean, columns text[], body text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with wanted_column as materialized (
    select c.*, 'using btree (' || quote_ident(c.name) || ')' as btree from service.wanted_columns() c where c.type is not null
  ), declared as (
    select t.schema_name, t.table_name, t.oid as relation, d.*
    from service.wanted_tables() t
    join service.collections c on c.slug = t.collection
    cross join jsonb_array_elements(case jsonb_typeof(c.definition -> 'indexes') when 'array' then c.definition -> 'indexes' else '[]' end) i (definition)
    cross join service.declared_index(t.collection, i.definition) d
  ), vector as (
    select c.*, d.distance, format('using %s (%I %I.%I)%s', c.vector_index ->> 'method', c.name, service.vector_schema(),
      'vector_' || case d.distance when 'inner_product' then 'ip' else d.distance end || '_ops',
      coalesce(' with (' || nullif(concat_ws(', ',
        'm = ' || (c.vector_index ->> 'm')::integer, 'ef_construction = ' || (c.vector_index ->> 'efConstruction')::integer, 'lists = ' || (c.vector_index ->> 'lists')::integer), '') || ')', '')) as body
    from wanted_column c
    cross join jsonb_array_elements_text(case jsonb_typeof(c.vector_index -> 'distance') when 'array' then c.vector_index -> 'distance' else jsonb_build_array(c.vector_index -> 'distance') end) d (distance)
    -- pgvector indexes no more than 2,000 dimensions.
    where jsonb_typeof(c.vector_index) = 'object' and coalesce(substring(c.type from '\((\d+)\)$')::integer, 0) <= 2000
  )
  select c.schema_name, c.table_name, c.relation, 'unique', service.short_name(c.table_name || '_' || c.name, '_key'), true, array[c.name], c.btree
  from wanted_column c
  join service.wanted_tables() t on t.schema_name = c.schema_name and t.table_name = c.table_name
  where c.is_unique and t.key <> array[c.name]
    and not exists (
      select from pg_index i
      where i.indrelid = c.relation and i.indkey[0] = c.attnum and i.indnkeyatts = 1 and i.indisunique and i.indisvalid and i.indpred is null)
  union all
  select d.schema_name, d.table_name, d.relation, 'index', d.name, d.is_unique, d.columns, d.body from declared d
  union all
  select f.schema_name, f.table_name, f.relation, 'index', service.short_name(f.table_name || '_' || array_to_string(f.columns, '_'), '_fk_idx'), false, f.columns,
    'using btree (' || (select string_agg(quote_ident(k), ', ' order by n) from unnest(f.columns) with ordinality u (k, n)) || ')'
  from service.wanted_foreign_keys() f
  join service.wanted_tables() t on t.schema_name = f.schema_name and t.table_name = f.table_name
  left join wanted_column c on c.schema_name = f.schema_name and c.table_name = f.table_name and c.name = f.columns[1]
  where t.key[1:cardinality(f.columns)] <> f.columns
    and not (cardinality(f.columns) = 1 and coalesce(c.is_unique, false))
    and not exists (
      select from pg_index i
      where i.indrelid = f.relation and i.indkey[0] = c.attnum and i.indisvalid and i.indpred is null and cardinality(f.columns) = 1)
  union all
  select v.schema_name, v.table_name, v.relation, 'vector index',
    service.short_name(v.table_name || '_' || v.name, '_' || v.distance || '_ix_' || service.short_hash(concat_ws(' ', v.schema_name, v.table_name, v.body))), false, array[v.name], v.body
  from vector v
  union all
  select s.schema_name, s.table_name, s.relation, 'search index',
    service.short_name(s.table_name || '_' || s.name, '_ix_' || service.short_hash(concat_ws(' ', s.schema_name, s.table_name, s.index_keys))), false, array[s.name], 'using gin ' || s.index_keys
  from service.wanted_search_columns() s
  where s.index_keys is not null and (s.attnum is null or s.made_of is not null);
end;

comment on function service.wanted_indexes() is
  'The indexes that collection files ask for, by name: unique properties, the declared ones, those of foreign keys, of vectors and of searches. What another index does already is left out.';

revoke all on function service.wanted_indexes() from public;
--! EndIncluded provision/wanted_indexes.sql
--! Included provision/plan_schemas.sql
create or replace function service.plan_schemas() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with wanted as (
    select t.schema_name from service.wanted_tables() t
    union
    select c.enum_type ->> 'schema' from service.wanted_columns() c where c.enum_type is not null
  ), extension as (
    select service.vector_schema() as schema_name, exists (select from pg_extension e where e.extname = 'vector') as installed
    where exists (select from service.properties p where p.attributes #>> '{column,type}' ~ '(^|\.)vector(\(|$)')
  )
  select 10, 'schema', quote_ident(w.schema_name), format('create schema %I', w.schema_name), false, 'safe', null::text, null::text
  from wanted w
  where not exists (select from pg_namespace n where n.nspname = w.schema_name)
  union all
  select 20, 'extension', 'vector', format('create extension vector schema %I', e.schema_name), false, 'safe', null, 'As a superuser: create extension vector;'
  from extension e
  where not e.installed and e.schema_name is not null
  union all
  select 20, 'extension', 'vector', null, false, 'withheld', 'This server does not have the extension vector; its columns are left out.',
    'Install pgvector on the database server.'
  from extension e
  where e.schema_name is null;
end;

comment on function service.plan_schemas() is 'The part of service.provision_plan() about schemas and extensions.';

revoke all on function service.plan_schemas() from public;
--! EndIncluded provision/plan_schemas.sql
--! Included provision/plan_enums.sql
-- A new label cannot be used before its transaction is over, so it is added by itself and before everything else (the
-- negative steps), each after the one that precedes it.
create or replace function service.plan_enums() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with wanted as (
    select distinct on (c.enum_type ->> 'schema', c.enum_type ->> 'name') c.enum_type ->> 'schema' as schema_name, c.enum_type ->> 'name' as name,
      array(select jsonb_array_elements_text(c.enum_type -> 'labels')) as labels
    from service.wanted_columns() c
    where c.enum_type is not null
    order by 1, 2, c.schema_name, c.table_name, c.name
  ), known as (
    select w.*, format('%I.%I', w.schema_name, w.name) as target, t.oid, t.typtype,
      array(select e.enumlabel::text from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder) as stored
    from wanted w
    left join pg_namespace n on n.nspname = w.schema_name
    left join pg_type t on t.typnamespace = n.oid and t.typname = w.name
  ), missing as (
    select k.*, l.label, l.n, k.labels[l.n - 1] as previous,
      (select s.label from unnest(k.labels) with ordinality s (label, n) where s.n > l.n and s.label = any (k.stored) order by s.n limit 1) as next
    from known k
    cross join unnest(k.labels) with ordinality l (label, n)
    where k.typtype = 'e' and l.label <> all (k.stored)
  )
  select 30, 'enum', k.target, format('create type %s as enum (%s)', k.target, (select string_agg(quote_literal(l), ', ' order by n) from unnest(k.labels) with ordinality u (l, n))),
    false, 'safe', null::text, null::text
  from known k where k.oid is null
  union all
  select m.n::integer - 10000, 'enum value', m.target || '.' || quote_ident(m.label),
    format('alter type %s add value if not exists %L%s', m.target, m.label, case
      when m.previous is not null then format(' after %L', m.previous)
      when m.next is not null then format(' before %L', m.next) else '' end),
    true, 'safe', null, null
  from missing m
  union all
  select 30, 'enum', k.target, null, false, 'report', 'It is there, but is no enumeration.', format('alter type %s rename to …', k.target)
  from known k where k.oid is not null and k.typtype <> 'e'
  union all
  select 30, 'enum', k.target, null, false, 'report', 'It has labels that the collection does not: ' || string_agg(s.label, ', ' order by s.n), null
  from known k
  cross join unnest(k.stored) with ordinality s (label, n)
  where s.label <> all (k.labels)
  group by k.target
  union all
  select 30, 'enum', k.target, null, false, 'report', 'Its labels are in another order than the collection''s, and sort so.', null
  from known k
  where array(select s from unnest(k.stored) with ordinality u (s, n) where s = any (k.labels) order by n)
    <> array(select l from unnest(k.labels) with ordinality u (l, n) where l = any (k.stored) order by n);
end;

comment on function service.plan_enums() is 'The part of service.provision_plan() about enumerations and their labels.';

revoke all on function service.plan_enums() from public;
--! EndIncluded provision/plan_enums.sql
--! Included provision/plan_tables.sql
create or replace function service.plan_tables() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with columns as materialized (
    select c.schema_name, c.table_name, string_agg(service.column_clause(c.name, c.type, c.default_value, c.identity, c.not_null or c.in_key), ', ' order by c."position", c.name) as clauses
    from service.wanted_columns() c
    where c.relation is null and c.type is not null
    group by c.schema_name, c.table_name
  ), key as (
    select t.*, format('%I.%I', t.schema_name, t.table_name) as target, (select string_agg(quote_ident(k), ', ' order by n) from unnest(t.key) with ordinality u (k, n)) as keys
    from service.wanted_tables() t
  )
  select 40, 'table', k.target, format('create table %s (%s, primary key (%s))', k.target, c.clauses, k.keys), false, 'safe', null::text, null::text
  from key k
  join columns c on c.schema_name = k.schema_name and c.table_name = k.table_name
  where k.oid is null
  union all
  select 40, 'primary key', k.target, null, false, 'report',
    coalesce('Its primary key is (' || array_to_string(service.column_names(k.oid, p.conkey), ', ') || '), the collection''s is (' || k.keys || ').', 'It has no primary key; the collection''s is (' || k.keys || ').'),
    case when p.oid is null then format('alter table %s add primary key (%s);', k.target, k.keys) end
  from key k
  left join pg_constraint p on p.conrelid = k.oid and p.contype = 'p'
  where k.oid is not null and (p.oid is null or not (service.column_names(k.oid, p.conkey) @> k.key and k.key @> service.column_names(k.oid, p.conkey)))
  union all
  select 40, 'table', format('%I.%I', c.schema_name, c.table_name), null, false, 'report',
    case when r.oid is null then 'It is not there. The collection is read-only, so it has no table made for it.'
      when r.relkind in ('v', 'm') and not c.read_only then 'It is a view; a collection over it is readOnly.'
      when r.relkind = 'v' then 'It is a view that runs as its owner, past row security.'
      else 'It is no ordinary table.' end,
    case when r.oid is null then format('create view %I.%I with (security_invoker = on) as select …;', c.schema_name, c.table_name)
      when r.relkind = 'v' and c.read_only then format('alter view %I.%I set (security_invoker = on);', c.schema_name, c.table_name) end
  from service.collections c
  left join pg_namespace n on n.nspname = c.schema_name
  left join pg_class r on r.relnamespace = n.oid and r.relname = c.table_name
  where c.source = 'file' and (r.oid is null and c.read_only or r.relkind not in ('r', 'p'))
    and not (r.oid is not null and c.read_only and r.relkind = 'v'
      and coalesce(r.reloptions && array['security_invoker=true', 'security_invoker=on', 'security_invoker=1', 'security_invoker=yes'], false));
end;

comment on function service.plan_tables() is 'The part of service.provision_plan() about tables and their keys.';

revoke all on function service.plan_tables() from public;
--! EndIncluded provision/plan_tables.sql
--! Included provision/plan_columns.sql
create or replace function service.plan_columns() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with wanted as materialized (
    select c.*, format('%I.%I', c.schema_name, c.table_name) as on_table, format('%I.%I.%I', c.schema_name, c.table_name, c.name) as target,
      a.atttypid, a.atttypmod, a.attnotnull, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid) as stored_default
    from service.wanted_columns() c
    left join pg_attribute a on a.attrelid = c.relation and a.attnum = c.attnum
    left join pg_attrdef d on d.adrelid = c.relation and d.adnum = c.attnum
    where c.relation is not null and c.type is not null
  ), fillable as materialized (
    -- Whether the table has rows is asked only where it matters.
    select w.target, w.attnum is null and (not w.not_null or w.identity or w.default_value is not null or w.type in ('smallserial', 'serial', 'bigserial'))
      or not service.has_rows(w.relation) as yes
    from wanted w
    where w.attnum is null or (w.not_null and not w.attnotnull) or (w.identity and w.attidentity = '' and w.stored_default is null)
  )
  select 50, 'column', w.target,
    format('alter table %s add column %s', w.on_table, service.column_clause(w.name, w.type, w.default_value, w.identity, w.not_null and f.yes)), false, 'safe', null::text, null::text
  from wanted w join fillable f on f.target = w.target
  where w.attnum is null
  union all
  select 50, 'column', w.target, null, false, 'report', format('Its type is %s, the collection''s is %s.', format_type(w.atttypid, w.atttypmod), w.type),
    format('alter table %s alter column %I type %s using …;', w.on_table, w.name, w.type)
  from wanted w
  where w.attnum is not null and not coalesce(service.same_type(w.type, w.atttypid, w.atttypmod), false)
  union all
  select 50, 'column', format('%I.%I.%I', t.schema_name, t.table_name, a.attname), null, false, 'report',
    'The collection does not know this column.' || case when a.attnotnull and not a.atthasdef and a.attidentity = '' then ' It is NOT NULL without a default: nothing can be created through the API.' else '' end, null
  from service.wanted_tables() t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  where not exists (select from service.wanted_columns() c where c.relation = t.oid and c.attnum = a.attnum)
    -- Those of searches are service.plan_search's.
    and not exists (select from service.wanted_search_columns() s where s.relation = t.oid and s.attnum = a.attnum)
    and coalesce(col_description(t.oid, a.attnum), '') !~ '^Made for the search of .* meaning:[0-9a-f]{7}$'
  union all
  select 60, 'default', w.target, format('alter table %s alter column %I set default (%s)', w.on_table, w.name, w.default_value), false, 'safe', null, null
  from wanted w
  where w.attnum is not null and w.attgenerated = '' and w.attidentity = '' and w.default_value is not null
    and (w.stored_default is null or service.same_default(w.stored_default, w.default_value, w.type) = false)
  union all
  select 60, 'default', w.target, null, false, 'report', format('Its default is %s, the collection''s is %s.', coalesce(w.stored_default, 'an identity'), coalesce(w.default_value, 'none')),
    format('alter table %s alter column %I %s;', w.on_table, w.name, coalesce('set default (' || w.default_value || ')', 'drop default'))
  from wanted w
  where w.attnum is not null and w.attgenerated = '' and not (w.identity and (w.attidentity <> '' or w.stored_default like 'nextval(%')) and case
    when w.default_value is null then (w.stored_default is not null and w.type not in ('smallserial', 'serial', 'bigserial')) or (w.attidentity <> '' and not w.identity)
    else w.attidentity <> '' or service.same_default(w.stored_default, w.default_value, w.type) is null and w.stored_default is not null end
  union all
  select 60, 'identity', w.target,
    case when f.yes and w.attnotnull then format('alter table %s alter column %I add generated by default as identity', w.on_table, w.name) end,
    false, case when f.yes and w.attnotnull then 'safe' else 'report' end,
    case when not (f.yes and w.attnotnull) then 'Its values are not generated, and the table has rows.' end,
    case when not (f.yes and w.attnotnull) then format('alter table %1$s alter column %2$I add generated by default as identity; select setval(pg_get_serial_sequence(%3$L, %4$L), max(%2$I)) from %1$s;', w.on_table, w.name, w.on_table, w.name) end
  from wanted w join fillable f on f.target = w.target
  where w.attnum is not null and w.identity and w.attidentity = '' and w.stored_default is null
  union all
  select 70, 'not null', w.target,
    case when f.yes and w.attnum is not null then format('alter table %s alter column %I set not null', w.on_table, w.name) end,
    false, case when f.yes then 'safe' else 'withheld' end,
    case when not f.yes then 'The table has rows, so NOT NULL is withheld.' end,
    case when not f.yes then format('update %1$s set %2$I = … where %2$I is null; alter table %1$s alter column %2$I set not null;', w.on_table, w.name) end
  from wanted w join fillable f on f.target = w.target
  where w.not_null and not coalesce(w.attnotnull, false) and not (w.attnum is null and f.yes)
  union all
  select 70, 'not null', w.target, null, false, 'report', 'It is NOT NULL, and the collection does not require it.', format('alter table %s alter column %I drop not null;', w.on_table, w.name)
  from wanted w
  where w.attnotnull and not w.not_null and not w.in_key;
end;

comment on function service.plan_columns() is 'The part of service.provision_plan() about the columns of tables that are there.';

revoke all on function service.plan_columns() from public;
--! EndIncluded provision/plan_columns.sql
--! Included provision/plan_foreign_keys.sql
create or replace function service.plan_foreign_keys() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with stored as materialized (
    select k.oid, k.conrelid, k.conname, k.confrelid, k.confdeltype, service.column_names(k.conrelid, k.conkey) as columns, service.column_names(k.confrelid, k.confkey) as target_columns,
      format('%I.%I', n.nspname, r.relname) as refers_to
    from pg_constraint k
    join pg_class r on r.oid = k.confrelid
    join pg_namespace n on n.oid = r.relnamespace
    where k.contype = 'f' and k.conparentid = 0
  ), wanted as (
    select f.*, format('%I.%I', f.schema_name, f.table_name) as on_table, format('%I.%I', f.target_schema, f.target_table) as refers_to,
      (select string_agg(quote_ident(c), ', ' order by n) from unnest(f.target_columns) with ordinality u (c, n)) as target_list,
      r.oid is null or exists (
        select from pg_index i
        where i.indrelid = r.oid and i.indisunique and i.indisvalid and i.indpred is null
          and (select array_agg(a.attname::text order by a.attname) from pg_attribute a where a.attrelid = r.oid and a.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1]))
            = (select array_agg(c order by c collate "C") from unnest(f.target_columns) c)) as unique_target,
      format('foreign key (%s) references %I.%I (%s) on delete %s',
        (select string_agg(quote_ident(c), ', ' order by n) from unnest(f.columns) with ordinality u (c, n)), f.target_schema, f.target_table,
        (select string_agg(quote_ident(c), ', ' order by n) from unnest(f.target_columns) with ordinality u (c, n)), f.on_delete) as clause
    from service.wanted_foreign_keys() f
    left join pg_namespace n on n.nspname = f.target_schema
    left join pg_class r on r.relnamespace = n.oid and r.relname = f.target_table
    -- Not before its columns are there, or will be.
    where not exists (
      select from service.wanted_columns() c
      where c.schema_name = f.schema_name and c.table_name = f.table_name and c.name = any (f.columns) and c.type is null)
  )
  select 90, 'foreign key', format('%s.%I', w.on_table, w.name),
    case when w.unique_target then format('alter table %s add constraint %I %s', w.on_table, w.name, w.clause) end, false,
    case when w.unique_target then 'safe' else 'withheld' end,
    case when not w.unique_target then format('What it refers to is not unique in %s.', w.refers_to) end,
    case when not w.unique_target then format('alter table %s add primary key (%s);', w.refers_to, w.target_list) end
  from wanted w
  where not exists (select from stored s where s.conrelid = w.relation and (s.columns = w.columns or s.conname = w.name))
  union all
  select 90, 'foreign key', format('%s.%I', w.on_table, s.conname), null, false, 'report',
    case
      when s.columns <> w.columns then format('A foreign key of this name is on (%s), the collection''s on (%s).', array_to_string(s.columns, ', '), array_to_string(w.columns, ', '))
      when s.refers_to <> w.refers_to or s.target_columns <> w.target_columns then format('It refers to %s, the collection''s to %s.', s.refers_to, w.refers_to)
      else format('On delete it does something else than the collection''s (%s).', w.on_delete) end,
    format('alter table %1$s drop constraint %2$I; alter table %1$s add constraint %3$I %4$s;', w.on_table, s.conname, w.name, w.clause)
  from wanted w
  join stored s on s.conrelid = w.relation and (s.columns = w.columns or s.conname = w.name)
  where s.columns <> w.columns or s.refers_to <> w.refers_to or s.target_columns <> w.target_columns
    or s.confdeltype <> case w.on_delete when 'cascade' then 'c' when 'restrict' then 'r' when 'set null' then 'n' when 'set default' then 'd' else 'a' end;
end;

comment on function service.plan_foreign_keys() is 'The part of service.provision_plan() about foreign keys.';

revoke all on function service.plan_foreign_keys() from public;
--! EndIncluded provision/plan_foreign_keys.sql
--! Included provision/plan_indexes.sql
-- A table with rows goes on being written while its index is built. What an attempt left behind is removed first; what
-- somebody builds right now is left to them.
create or replace function service.plan_indexes() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with wanted as materialized (
    select w.*, format('%I.%I', w.schema_name, w.table_name) as on_table, format('%I.%I', w.schema_name, w.name) as target,
      r.oid, r.relkind, i.indrelid, i.indisvalid, i.indisunique,
      case when w.relation is null then false else service.has_rows(w.relation) end as populated
    from service.wanted_indexes() w
    left join pg_namespace n on n.nspname = w.schema_name
    left join pg_class r on r.relnamespace = n.oid and r.relname = w.name
    left join pg_index i on i.indexrelid = r.oid
    where r.oid is null or i.indisvalid is not true or i.indrelid is distinct from w.relation or i.indisunique <> w.is_unique
  )
  select case when w.populated then 160 else 100 end, w.kind, w.target,
    case
      when w.kind = 'unique' and not w.populated then format('alter table %s add constraint %I unique (%s)', w.on_table, w.name, (select string_agg(quote_ident(c), ', ' order by n) from unnest(w.columns) with ordinality u (c, n)))
      else format('create %sindex %s%I on %s %s', case when w.is_unique then 'unique ' end, case when w.populated then 'concurrently if not exists ' end, w.name, w.on_table, w.body) end,
    w.populated, 'safe', null::text, null::text
  from wanted w
  where w.oid is null
  union all
  select 159, w.kind, w.target, format('drop index concurrently %s', w.target), true, 'safe', 'An attempt to build it has failed.', null
  from wanted w
  where w.indrelid = w.relation and not w.indisvalid
    and not exists (select from pg_stat_progress_create_index p where p.datid = (select d.oid from pg_database d where d.datname = current_database()) and p.index_relid = w.oid)
    and not exists (select from pg_constraint k where k.conindid = w.oid)
  union all
  select 100, w.kind, w.target, null, false, 'report', 'The name is taken by something else.', null
  from wanted w
  where w.oid is not null and (w.indrelid is distinct from w.relation or w.indisunique <> w.is_unique)
  union all
  select 100, 'index', format('%I.%I', t.schema_name, r.relname), null, false, 'report', 'No collection asks for this index any more.', format('drop index concurrently %I.%I;', t.schema_name, r.relname)
  from service.wanted_tables() t
  join pg_index i on i.indrelid = t.oid
  join pg_class r on r.oid = i.indexrelid
  where r.relname ~ '_(ix|ux)_[0-9a-f]{7}$'
    and not exists (select from service.wanted_indexes() w where w.schema_name = t.schema_name and w.name = r.relname);
end;

comment on function service.plan_indexes() is 'The part of service.provision_plan() about indexes and unique properties.';

revoke all on function service.plan_indexes() from public;
--! EndIncluded provision/plan_indexes.sql
--! Included provision/plan_callbacks.sql
-- A callback whose function is missing is called all the same: writes fail until it is there, rather than go unchecked.
create or replace function service.plan_callbacks() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with callback as materialized (
    select c.*, format('%I.%I', c.schema_name, c.table_name) as on_table, format('%I.%I', c.function_schema, c.function_name) as called,
      service.short_name(c.collection, c.suffix) as function_for
    from service.callbacks() c
  ), wanted_function as (
    select c.*, f.body, format('service.%I', c.function_for) as name
    from callback c
    cross join lateral (select service.callback_body(c.collection, c.key, c.names, c.hook, c.called, c.soft_delete) as body) f
    where c.suffix is not null
  ), generated as (
    select f.name, f.function_for, f.body, format('Trigger: calls %s, the %s callback of %s. Generated.', f.called, f.hook, f.collection) as comment from wanted_function f
    union all
    select format('service.%I', s.function_for), s.function_for, s.body, format('Trigger: stamps the rows of %I.%I. Generated.', s.schema_name, s.table_name) from service.wanted_stamps() s
  ), wanted_trigger as (
    select c.schema_name, c.table_name, c.relation, c.trigger_name as name, c.events + case when c.soft_delete is not null and c.hook like '%Delete' then 16 else 0 end as events,
      c.function_for
    from wanted_function c
    union all
    select s.schema_name, s.table_name, s.relation, '_300_stamp', 1 + 2 + 4 + 16, s.function_for
    from service.wanted_stamps() s
  ), stored_trigger as (
    select g.oid, g.tgrelid, g.tgname::text as name, g.tgtype, g.tgenabled, p.proname::text as function_for
    from pg_trigger g
    join pg_proc p on p.oid = g.tgfoid and p.pronamespace = (select n.oid from pg_namespace n where n.nspname = 'service')
    where not g.tgisinternal
  ), trigger as (
    select w.*, format('%I.%I', w.schema_name, w.table_name) as on_table, format('%I.%I.%I', w.schema_name, w.table_name, w.name) as target,
      s.oid, s.tgenabled, s.tgtype = w.events and s.function_for = w.function_for as same
    from wanted_trigger w
    left join stored_trigger s on s.tgrelid = w.relation and s.name = w.name
  )
  select 110, 'function', f.name,
    format('create or replace function %s() returns trigger language plpgsql as %L; comment on function %1$s() is %3$L; revoke all on function %1$s() from public',
      f.name, f.body, f.comment), false, 'safe', null::text, null::text
  from generated f
  where not exists (
    select from pg_proc p
    where p.pronamespace = (select n.oid from pg_namespace n where n.nspname = 'service') and p.proname = f.function_for and p.pronargs = 0 and p.prosrc = f.body)
  union all
  select 110, 'callback', c.called, null, false, 'report',
    case when c.oid is null then format('The %s callback of %s is not there: it needs this function.', c.hook, c.collection) else format('The %s callback of %s must return %s.', c.hook, c.collection, c.result) end,
    format('create function %s(%s) returns %s …', c.called, c.arguments, c.result)
  from callback c
  where not c.fits
  union all
  select 120, 'trigger', t.target,
    format('create or replace trigger %I %s %s on %s for each row execute function service.%I()', t.name,
      case when t.events & 2 > 0 then 'before' else 'after' end,
      concat_ws(' or ', case when t.events & 4 > 0 then 'insert' end, case when t.events & 16 > 0 then 'update' end, case when t.events & 8 > 0 then 'delete' end),
      t.on_table, t.function_for), false, 'safe', null, null
  from trigger t
  where t.oid is null or not t.same
  union all
  select 120, 'trigger', t.target, null, false, 'report', 'It is disabled: what it does is skipped.', format('alter table %s enable trigger %I;', t.on_table, t.name)
  from trigger t
  where t.same and t.tgenabled = 'D'
  union all
  select 121, 'trigger', format('%I.%I.%I', t.schema_name, t.table_name, s.name), format('drop trigger %I on %I.%I', s.name, t.schema_name, t.table_name), false, 'safe', 'No collection asks for it any more.', null
  from service.wanted_tables() t
  join stored_trigger s on s.tgrelid = t.oid
  where (s.name in (select h.trigger_name from service.hooks() h) or s.name = '_300_stamp')
    and not exists (select from wanted_trigger w where w.relation = t.oid and w.name = s.name)
  union all
  select 120, 'trigger', format('%I.%I.%I', t.schema_name, t.table_name, g.tgname), null, false, 'report', 'Its name sorts between the generated triggers'', so it runs between them.', null
  from service.wanted_tables() t
  join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
  where g.tgname collate "C" > '_100' and g.tgname collate "C" < '_901' and not exists (select from stored_trigger s where s.oid = g.oid);
end;

comment on function service.plan_callbacks() is 'The part of service.provision_plan() about callbacks, stamps and the triggers that call them.';

revoke all on function service.plan_callbacks() from public;
--! EndIncluded provision/plan_callbacks.sql
--! Included provision/provision_plan.sql
create or replace function service.provision_plan() returns setof service.provision_step
  language sql stable
begin atomic
  with step as (
    select * from service.plan_schemas()
    union all select * from service.plan_enums()
    union all select * from service.plan_tables()
    union all select * from service.plan_columns()
    union all select * from service.plan_foreign_keys()
    union all select * from service.plan_search()
    union all select * from service.plan_indexes()
    union all select * from service.plan_callbacks()
    union all select * from service.plan_row_security()
    union all select * from service.plan_policies()
    union all select * from service.plan_grants()
  )
  select row_number() over (order by s.step, s.target collate "C", s.statement collate "C", s.detail collate "C")::integer,
    s.kind, s.target, s.statement, s.concurrent, s.verdict, s.detail, s.remedy
  from step s
  order by 1;
end;

comment on function service.provision_plan() is
  'What the collections of files ask for and the database lacks, in the order in which it has to be done. verdict: safe (statement brings it), withheld (would need the table empty, or an extension that is not there), report (differs in a way that is never repaired: remedy says how one could). concurrent: the statement runs by itself, outside a transaction. In psql: select statement from service.provision_plan() where statement is not null \gexec';

revoke all on function service.provision_plan() from public;
--! EndIncluded provision/provision_plan.sql
drop function service.provision();
--! Included provision/provision.sql
-- All or nothing. When a step fails the others of its kind are still tried, so that all bad rules are told at once;
-- what follows is not, because it fails of the first.
-- The one exception is a constraint that what is stored does not fit: it is withheld.
-- It plans again until nothing is left, because some steps are known only after others (a serial column's sequence).
-- What was tried is looked at from the second plan on, where few statements are left: to compare each with all before it
-- took most of the time that 500 collections need.
create or replace function service.provision(policies boolean default true) returns setof service.provision_step
  language plpgsql volatile set search_path = public, pg_temp as $$
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
    steps := array(select p from service.provision_plan() p where (p.kind <> 'policy' or policies) and (p.statement is null or p.statement <> all (tried)));
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
          failures := failures || jsonb_build_object('target', step.target, 'statement', step.statement, 'message', sqlerrm, 'dbCode', sqlstate, 'detail', step.detail, 'remedy', step.remedy);
        end if;
      end;
    end loop;
    exit when not ran or failed_kind is not null;
    tried := tried || array(select s.statement from unnest(steps[1:reached]) s where s.statement is not null);
  end loop;
  if failed_kind is null and ruled then
    failures := array_to_json(array(
      select json_build_object('target', u.name, 'message', u.problem, 'detail', u.collection || '.securityRules')
      from (
        select format('%I.%I', t.schema_name, t.table_name) as name, t.collection, service.unusable_because(t.oid) as problem
        from service.wanted_tables() t where t.oid is not null offset 0) u
      where u.problem is not null
      order by u.name))::jsonb;
  end if;
  if failures <> '[]' then
    perform service.fail(400, 'SCHEMA_CHANGE_FAILED',
      (select string_agg(concat_ws(' ', f ->> 'detail' || ',', f ->> 'target' || ':', f ->> 'message' || '.', f ->> 'remedy'), E'\n' order by n) from jsonb_array_elements(failures) with ordinality e (f, n)),
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
  'Runs the statements of service.provision_plan() up to the first that has to run by itself, in one transaction. Returns what it ran, then what only differs (statement is null), then the statements that have to run by themselves next (concurrent): whoever calls it runs those and calls again, until there are none. A constraint that stored rows or types do not fit is returned as withheld. Any other failure: GW400 SCHEMA_CHANGE_FAILED with details.failures, and nothing is changed. policies: false leaves policies as they are, for a project whose migrations bring what rules call; row security is on by then, so that nobody sees what they do not cover yet. Unqualified names in rules and defaults mean schema public. Needs the owner; callers at the same time wait for each other.';

revoke all on function service.provision(boolean) from public;
--! EndIncluded provision/provision.sql

--! Included catalog/missing_grants.sql
-- The end-user role gets what the served tables need and nothing else; row security decides the rows.
create or replace function service.missing_grants() returns setof text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with served as (
    select c.schema_name, c.table_name, c.read_only from service.collections c
    union
    select r.junction_schema, r.junction_table, false from service.relations r where r.junction_table is not null
  ), relation as (
    select s.*, format('%I.%I', s.schema_name, s.table_name) as name from served s
    where to_regclass(format('%I.%I', s.schema_name, s.table_name)) is not null
  )
  select format('grant usage on schema %I to service_user;', r.schema_name)
  from relation r where not has_schema_privilege('service_user', r.schema_name, 'usage')
  union
  -- Values are cast to their columns' types by name.
  select format('grant usage on schema %I to service_user;', n.nspname)
  from (
    select distinct service.base_type(a.atttypid) as oid
    from relation r
    join pg_attribute a on a.attrelid = r.name::regclass and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid and t.typnamespace <> 'pg_catalog'::regnamespace
  ) used
  join pg_type t on t.oid = used.oid
  join pg_namespace n on n.oid = t.typnamespace
  where not has_schema_privilege('service_user', n.oid, 'usage')
  union
  select format('grant %s on %s to service_user;', case when r.read_only then 'select' else 'select, insert, update, delete' end, r.name)
  from relation r
  where exists (
    select from unnest(case when r.read_only then array['select'] else array['select', 'insert', 'update', 'delete'] end) p (privilege)
    where not has_table_privilege('service_user', r.name, p.privilege))
  union
  select format('grant usage on sequence %s to service_user;', d.objid::regclass)
  from relation r
  join pg_depend d on d.refobjid = r.name::regclass and d.refobjsubid > 0 and d.classid = 'pg_class'::regclass and d.deptype = 'a'
  join pg_class s on s.oid = d.objid and s.relkind = 'S'
  -- CASE: the function refuses what is no sequence, and the planner may ask it first.
  where not r.read_only and case s.relkind when 'S' then not has_sequence_privilege('service_user', s.oid, 'usage') end
  order by 1;
end;

comment on function service.missing_grants() is 'The GRANT statements that the served tables still need for service_user; none when all is granted.';

revoke all on function service.missing_grants() from public;
--! EndIncluded catalog/missing_grants.sql
--! Included collections/with_vector_schema.sql
create or replace function service.with_vector_schema(property service.properties) returns service.properties
  language plpgsql stable as $$
begin
  if property.type = 'vector' and property.sql_type = 'vector' then
    property.sql_type := format('%I.vector', service.vector_schema());
  end if;
  return property;
end $$;

comment on function service.with_vector_schema(service.properties) is 'The property; its type, if it is a vector without a schema, by the name that pgvector has on this server.';

revoke all on function service.with_vector_schema(service.properties) from public;
--! EndIncluded collections/with_vector_schema.sql
--! Included collections/define.sql
-- The whole catalog at once. Nothing is written when it is what is there already, so that a second boot and a second
-- gateway leave no trace. On a server without pgvector the vector properties have no column, so nobody is to ask for it.
create or replace function service.define(catalog jsonb) returns boolean
  language plpgsql volatile as $$
declare
  collections service.collections[] := array(select c from jsonb_populate_recordset(null::service.collections, catalog -> 'collections') c);
  properties service.properties[] := array(
    select case when p.type = 'vector' and service.vector_schema() is null then service.without_column(p) else service.with_vector_schema(p) end
    from jsonb_populate_recordset(null::service.properties, catalog -> 'properties') p);
  relations service.relations[] := array(select r from jsonb_populate_recordset(null::service.relations, catalog -> 'relations') r);
  stored text := (
    select service.fingerprint(array_agg(line)) from (
      select to_jsonb(c)::text as line from service.collections c
      union all select to_jsonb(p)::text from service.properties p
      union all select to_jsonb(r)::text from service.relations r) l);
  given text := (
    select service.fingerprint(array_agg(line)) from (
      select to_jsonb(c)::text as line from unnest(collections) c
      union all select to_jsonb(p)::text from unnest(properties) p
      union all select to_jsonb(r)::text from unnest(relations) r) l);
begin
  if stored = given then
    return false;
  end if;
  delete from service.collections;
  insert into service.collections select * from unnest(collections);
  insert into service.properties select * from unnest(properties);
  insert into service.relations select * from unnest(relations);
  update service.catalog set version = version + 1, schema_version = service.schema_version();
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
  return true;
end $$;

comment on function service.define(jsonb) is
  'Makes {collections, properties, relations}, the rows of the tables of those names with every column, the catalog. True when that changed it; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with an advisory lock.';

revoke all on function service.define(jsonb) from public;
--! EndIncluded collections/define.sql
--! Included write/stored_expression.sql
-- read_as: the type that jsonb_to_record gives the sent value. It keeps every digit, and reads arrays, composites and
-- whatever else has a text form. trim and the like act on what the rules were judged on: service.normalized_text.
create or replace function service.stored_expression(field text, property service.properties, unwraps text, out read_as text, out expression text)
  language plpgsql stable as $$
declare
  sent text := format('r.%I', field);
  rules jsonb := coalesce(property.attributes -> 'validation', '{}');
begin
  read_as := property.sql_type;
  expression := sent;
  if unwraps is not null then
    read_as := 'jsonb';
    expression := format('(case jsonb_typeof(%1$s) when ''object'' then coalesce(%1$s ->> %2$L, %1$s ->> ''id'') else %1$s #>> ''{}'' end)::%3$s', sent, unwraps, property.sql_type);
  elsif property.sql_type in ('smallint', 'integer', 'bigint') then
    -- 1.0 is a whole number; service.fits_type has refused 1.5.
    read_as := 'numeric';
  elsif property.sql_type = 'bytea' then
    read_as := 'text';
    expression := format('decode(%s, ''base64'')', sent);
  elsif property.sql_type = 'bytea[]' then
    read_as := 'text[]';
    expression := format('case when %1$s is not null then array(select decode(e.item, ''base64'') from unnest(%1$s) with ordinality e (item, n) order by e.n) end', sent);
  elsif property.sql_type = 'timestamp without time zone' then
    -- These columns hold UTC; an offset that the client sent is honoured.
    read_as := 'timestamp with time zone';
    expression := format('%s at time zone ''UTC''', sent);
  elsif property.sql_type = 'timestamp without time zone[]' then
    read_as := 'timestamp with time zone[]';
    expression := format('case when %1$s is not null then array(select e.item at time zone ''UTC'' from unnest(%1$s) with ordinality e (item, n) order by e.n) end', sent);
  elsif property.type = 'string' and (rules -> 'trim' = 'true' or rules -> 'lowercase' = 'true' or rules -> 'uppercase' = 'true') then
    read_as := 'text';
    expression := format('service.normalized_text(%s, %L)::%s', sent, jsonb_build_object('trim', rules -> 'trim', 'lowercase', rules -> 'lowercase', 'uppercase', rules -> 'uppercase'), property.sql_type);
  end if;
end $$;

comment on function service.stored_expression(text, service.properties, text) is
  'SQL text of what a sent field (r.field) puts into its column, and the type to read it as.';

revoke all on function service.stored_expression(text, service.properties, text) from public;
--! EndIncluded write/stored_expression.sql
--! Included write/written_columns.sql
-- A column that is sent by two names is written once; service.check_write has seen that both say the same.
create or replace function service.written_columns(served service.collections, op text, sent text[])
  returns table (column_name text, expression text, field text, read_as text)
  language sql stable
begin atomic
  select (s.property).column_name, e.expression, s.field, e.read_as
  from (
    select distinct on ((f.property).column_name) f.*
    from service.sent_fields(served, sent) f
    where not (f.property).attributes ? 'autoValue' and not (op = 'update' and (f.property).name = any (served.key))
    order by (f.property).column_name, f.field
  ) s
  cross join lateral service.stored_expression(s.field, s.property, s.unwraps) e;
end;

comment on function service.written_columns(service.collections, text, text[]) is
  'The columns that a body with these names writes: SQL text of the value, and the field and type that it is read from. Stamps are not among them: a trigger puts them there.';

revoke all on function service.written_columns(service.collections, text, text[]) from public;
--! EndIncluded write/written_columns.sql
--! Included write/judged_fields.sql
-- What the service stamps itself is not judged but for a stamp that must not be empty, when nobody is signed in.
-- A file's map is an object; a JSON column that was there before holds any JSON.
create or replace function service.judged_fields(served service.collections, op text, sent text[]) returns jsonb
  language sql stable
begin atomic
  select jsonb_agg(f.spec)
  from (
    select jsonb_build_object('field', s.field, 'column', (s.property).column_name, 'type', (s.property).type, 'unwraps', s.unwraps,
      'sqlType', case when (s.property).type = 'map' and (s.property).attributes ? 'column' then null else (s.property).sql_type end,
      'rules', service.value_rules((s.property).attributes), 'maxLength', case (s.property).type when 'string' then (s.property).attributes -> 'maxLength' end,
      'required', case when op = 'create' and service.is_required(served, s.property) then service.required_message(s.field, (s.property).attributes) end,
      'key', array_position(served.key, (s.property).name)) as spec
    from service.sent_fields(served, sent) s
    where not (s.property).attributes ? 'autoValue'
    union all
    select jsonb_build_object('field', p.name, 'column', p.column_name, 'stamp', true, 'required', service.required_message(p.name, p.attributes))
    from service.properties p
    where p.collection = served.slug and p.not_null and p.attributes ->> 'autoValue' = any (case op when 'create' then array['user_on_create', 'user_on_update'] else array['user_on_update'] end)
  ) f;
end;

comment on function service.judged_fields(service.collections, text, text[]) is
  'How the values of a body are judged, field by field: {field, column, type, sqlType?, unwraps?, rules?, maxLength?, required? (the message), key? (its place), stamp?}; null when there is nothing to judge.';

revoke all on function service.judged_fields(service.collections, text, text[]) from public;
--! EndIncluded write/judged_fields.sql
--! Included write/unreadable_columns.sql
-- Such an error names no column, so each sent value is tried again.
create or replace function service.unreadable_columns(served service.collections, request jsonb) returns text[]
  language plpgsql stable as $$
declare
  sent text[] := array(select jsonb_object_keys(request -> 'body'));
  written record;
  unreadable text[];
begin
  for written in
    select w.*, a.atttypmod - 4 as width, service.column_type(a.atttypid, a.atttypmod) as type
    from service.written_columns(served, request ->> 'op', sent) w
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(format('%I.%I', served.schema_name, served.table_name)) and a.attname = w.column_name
  loop
    begin
      execute format('select (%s)::%s from %s', written.expression, written.type, service.sent_record(array[written.field], array[written.read_as])) using request ->> 'body';
      if written.type ~ '^character.*\(' and char_length(request -> 'body' ->> written.field) > written.width then
        unreadable := unreadable || written.column_name;
      end if;
    exception when data_exception then
      unreadable := unreadable || written.column_name;
    end;
  end loop;
  return unreadable;
end $$;

comment on function service.unreadable_columns(service.collections, jsonb) is
  'The columns whose sent values cannot be read as their types, or are too long for them; null when all can.';

revoke all on function service.unreadable_columns(service.collections, jsonb) from public;
--! EndIncluded write/unreadable_columns.sql
drop function service.user_stamps(service.collections, text);

--! Included read/link_properties.sql
-- Which rows belong together says what stands in the columns of both sides.
create or replace function service.link_properties(relation service.relations) returns setof service.properties
  language sql stable
begin atomic
  select p from service.properties p where p.collection = relation.collection and p.column_name = any (relation.local_columns)
  union all
  select p from service.properties p where p.collection = relation.target and p.column_name = any (relation.target_columns);
end;

comment on function service.link_properties(service.relations) is 'The properties of the columns that a relation joins its two collections by, this side first: who follows it learns their values.';

revoke all on function service.link_properties(service.relations) from public;
--! EndIncluded read/link_properties.sql
--! Included read/find_relation.sql
-- A relation over a column that is kept out of the API is kept out with it.
create or replace function service.find_relation(collection text, relation text) returns service.relations
  language sql stable
begin atomic
  select r
  from service.relations r
  where r.collection = find_relation.collection and r.name = find_relation.relation
    and not exists (select from service.link_properties(r) p where p.excluded);
end;

comment on function service.find_relation(text, text) is
  'The relation of a collection by its name, null when there is none that a client may know of.';

revoke all on function service.find_relation(text, text) from public;
--! EndIncluded read/find_relation.sql
--! Included read/valid_relations.sql
create or replace function service.valid_relations(collection text) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(r.name order by r.name), '[]'::jsonb) from service.relations r where r.collection = valid_relations.collection
    and not exists (select from service.link_properties(r) p where p.excluded);
end;

comment on function service.valid_relations(text) is 'The relation names of a collection, as a JSON array for error details.';

revoke all on function service.valid_relations(text) from public;
--! EndIncluded read/valid_relations.sql
--! Included read/require_relation_readable.sql
create or replace function service.require_relation_readable(relation service.relations, roles text[]) returns void
  language plpgsql stable as $$
declare
  property service.properties;
begin
  for property in select * from service.link_properties(relation) loop
    perform service.require_readable(property, roles);
  end loop;
end $$;

comment on function service.require_relation_readable(service.relations, text[]) is 'Nothing, or GW400 FIELD_NOT_READABLE when these roles may not read a column that the relation joins by, on either side.';

revoke all on function service.require_relation_readable(service.relations, text[]) from public;
--! EndIncluded read/require_relation_readable.sql
--! Included read/require_path_readable.sql
create or replace function service.require_path_readable(path jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  reached text := path ->> 0;
  relation service.relations;
begin
  for i in 2 .. jsonb_array_length(path) - 1 by 2 loop
    relation := service.find_relation(reached, path ->> i);
    perform service.require_relation_readable(relation, roles);
    reached := relation.target;
  end loop;
end $$;

comment on function service.require_path_readable(jsonb, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE when a nested path [slug, id, relation, …] (service.path_collection has seen that it is one) follows a relation that these roles may not.';

revoke all on function service.require_path_readable(jsonb, text[]) from public;
--! EndIncluded read/require_path_readable.sql
--! Included read/included_relations.sql
create or replace function service.included_relations(collection text, node jsonb, roles text[]) returns table (name text, options jsonb)
  language plpgsql stable as $$
declare
  relation service.relations;
begin
  for name, options in select i.key, i.value from jsonb_each(node -> 'include') i where i.key <> '*' order by i.key collate "C" loop
    relation := service.find_relation(collection, name);
    if relation.name is null then
      perform service.fail(400, 'UNKNOWN_RELATION', format('%s has no relation %s.', collection, name),
        jsonb_build_object('relation', name, 'collection', collection, 'validRelations', service.valid_relations(collection)));
    end if;
    perform service.require_relation_readable(relation, roles);
    return next;
  end loop;
  return query
    select r.name, node -> 'include' -> '*' from service.relations r
    where r.collection = included_relations.collection and node -> 'include' ? '*' and not node -> 'include' ? r.name
      -- * means what the caller may see; only a name insists.
      and not exists (select from service.link_properties(r) p where p.excluded or not service.readable(p, roles))
    order by r.name collate "C";
end $$;

comment on function service.included_relations(text, jsonb, text[]) is
  'The relations that a node {include} asks for, with their options; * is spelled out. GW400 UNKNOWN_RELATION {relation, collection, validRelations}, FIELD_NOT_READABLE.';

revoke all on function service.included_relations(text, jsonb, text[]) from public;
--! EndIncluded read/included_relations.sql
--! Included read/pivot_columns.sql
create or replace function service.pivot_columns(relation service.relations, prefix text) returns table (n bigint, name text, column_name text, sql_type text, alias text)
  language sql immutable
begin atomic
  select p.n, p.pivot ->> 'name', p.pivot ->> 'columnName', p.pivot ->> 'sqlType', prefix || 'pivot' || p.n
  from jsonb_array_elements(case jsonb_typeof(relation.pivot) when 'array' then relation.pivot else '[]' end) with ordinality p (pivot, n);
end;

comment on function service.pivot_columns(service.relations, text) is 'The columns that a junction has of its own, with a name for each beside the columns of the target.';

revoke all on function service.pivot_columns(service.relations, text) from public;
--! EndIncluded read/pivot_columns.sql
--! Included read/pivot_column.sql
create or replace function service.pivot_column(relation service.relations, prefix text) returns text
  language sql stable
begin atomic
  select coalesce(', (select to_json(l) from (select ' || string_agg(format('%s as %I', service.column_value(format('t.%I', p.alias), p.sql_type), p.name), ', ' order by p.n) || ') l) as "_pivot"', '')
  from service.pivot_columns(relation, prefix) p;
end;

comment on function service.pivot_column(service.relations, text) is
  'SQL text of the column _pivot, beginning with a comma: what the junction says of a link (alias t, under the names of service.pivot_columns); blank when it has no columns of its own.';

revoke all on function service.pivot_column(service.relations, text) from public;
--! EndIncluded read/pivot_column.sql
--! Included read/include_relation.sql
create or replace function service.include_relation(relation service.relations, parent_rows text, rows_name text, node jsonb, roles text[],
  out ctes text, out joins text, out columns text)
  language plpgsql stable as $$
declare
  target service.collections;
  nested record;
  prefix text := service.unused_prefix(relation.target);
  -- The columns of this level's rows that lead back to the parent: the target's own, or the junction's under names of ours.
  back text[] := case when relation.junction_table is null then relation.target_columns
    else array(select prefix || 'source' || n from generate_series(1, cardinality(relation.junction_source)) n order by n) end;
  row_number text := quote_ident(prefix || 'n');
  json text := quote_ident(prefix || 'json');
  -- Asked for even where one row needs none, so that its names are checked.
  ordering text := service.order_by(relation.target, 't', node -> 'orderBy', roles);
  source text;
begin
  select c.* into target from service.collections c where c.slug = relation.target;
  nested := service.include(relation.target, rows_name, node, roles);
  source := case when relation.junction_table is null
    then format('select t.* from %I.%I t where ctx.ok and %s', target.schema_name, target.table_name,
      service.reached_by('t', relation.target_columns, parent_rows, relation.local_columns))
    else format('select t.*, %s from %I.%I j join %I.%I t on %s where ctx.ok and %s',
      (select string_agg(format('j.%I as %I', u.name, u.alias), ', ') from (
        select * from unnest(relation.junction_source, back) s (name, alias) union all select p.column_name, p.alias from service.pivot_columns(relation, prefix) p) u),
      relation.junction_schema, relation.junction_table, target.schema_name, target.table_name,
      service.column_pairs('t', relation.target_columns, 'j', relation.junction_target),
      service.reached_by('j', relation.junction_source, parent_rows, relation.local_columns)) end
    || coalesce(service.predicate(relation.target, 't', node, roles), '');
  -- A belongsTo leads to a key, so its rows need neither order nor grouping, and its one row is within any limit.
  ctes := case when relation.kind = 'belongsTo' then format(', %I as materialized (%s%s)', rows_name, source,
      coalesce(' and $' || (node ->> 'limit') || '::bigint > 0', ''))
    else format(', %I as materialized (select * from (select t.*, row_number() over (partition by %s order by %s) as %s from (%s) t) t%s)',
      rows_name, service.column_list('t', back), ordering, row_number, source,
      coalesce(' where t.' || row_number || ' <= $' || (node ->> 'limit') || '::bigint', '')) end
    || nested.ctes
    -- d.*: a bare d would be a column of that name, where the table has one.
    || format(case when relation.kind = 'belongsTo' then ', %1$I as (select %2$s, to_json(%8$s) as %3$s from %4$I t%5$s cross join lateral (select %6$s) d)'
        else ', %1$I as (select %2$s, json_agg(%8$s order by t.%7$s) as %3$s from %4$I t%5$s cross join lateral (select %6$s) d group by %2$s)' end,
      rows_name || '_json', service.column_list('t', back), json, rows_name, nested.joins,
      service.row_columns(relation.target, 't', node, roles) || nested.columns || service.pivot_column(relation, prefix), row_number, service.shown_row(relation.target, 'd'));
  joins := format(' left join %I on %s', rows_name || '_json', service.column_pairs(quote_ident(rows_name || '_json'), back, 't', relation.local_columns));
  columns := format(case relation.kind when 'belongsTo' then ', %I.%s as %I' when 'hasOne' then ', %I.%s -> 0 as %I' else ', coalesce(%I.%s, ''[]'') as %I' end, rows_name || '_json', json, relation.name);
end $$;

comment on function service.include_relation(service.relations, text, text, jsonb, text[]) is
  'SQL text for one included relation: the CTE of its rows (limit a parent, in order), those of the relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column. To-one is an object or null, to-many an array; rows of a junction with columns of its own carry these as _pivot.';

revoke all on function service.include_relation(service.relations, text, text, jsonb, text[]) from public;
--! EndIncluded read/include_relation.sql
--! Included read/compile.sql
-- The one place that writes the SQL of a data request. The gateway caches the text by shape and runs it as a prepared
-- statement; service.list runs the same text.
create or replace function service.compile(shape jsonb, roles text[], out statement text, out lane text, out enter_first boolean, out revalidates boolean)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  collection text := service.path_collection(shape -> 'path');
begin
  perform service.require_path_readable(shape -> 'path', roles);
  if shape ? 'after' then
    perform service.require_cursor(collection, shape, roles);
  end if;
  statement := case shape ->> 'op'
    when 'list' then service.statement_list(collection, shape, roles)
    when 'get' then service.statement_get(collection, shape, roles)
    when 'count' then service.statement_count(collection, shape, roles)
    when 'aggregate' then service.statement_aggregate(collection, shape, roles)
  end;
  enter_first := service.needs_entering(statement);
  -- A transaction of several statements needs a connection for itself.
  lane := case when shape ->> 'op' = 'get' and not enter_first then 'point' else 'scan' end;
  revalidates := shape ->> 'op' = 'get' and not shape ? 'include'
    and not exists (select from service.collections c where c.slug = collection and c.callbacks ? 'afterRead');
end $$;

comment on function service.compile(jsonb, text[]) is
  'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include, search, vector, select, groupBy …}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before (partitioned tables whose policies call identity functions bare). revalidates: the answer depends on nothing but the row, so while its tag stands the answer stands (no related rows, no afterRead). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 for what is parsed but not compiled.';

revoke all on function service.compile(jsonb, text[]) from public;
--! EndIncluded read/compile.sql
--! Included catalog/reading_roles.sql
-- What the rules say before any row is looked at. Policies of tables that were there before are SQL, of which this much
-- cannot be told.
create or replace function service.reading_roles(source text, definition jsonb) returns text[]
  language sql immutable parallel safe
begin atomic
  with rule as (
    select r.rule, r.rule ? 'roles' as limited
    from jsonb_array_elements(case jsonb_typeof(definition -> 'securityRules') when 'array' then definition -> 'securityRules' else '[]' end) r (rule)
    where r.rule ->> 'mode' is distinct from 'restrictive'
      and exists (select from service.rule_operations(r.rule) o where o.operation in ('select', 'all'))
      and (r.rule ?| array['ownerField', 'using', 'roles'] or r.rule ->> 'access' = 'public')
  )
  select case when source = 'file' and not exists (select from rule r where not r.limited) then array(
      select distinct n.role from (
        select jsonb_array_elements_text(r.rule -> 'roles') as role from rule r
        union all
        select 'admin' where not coalesce((definition ->> 'disableDefaultPolicies')::boolean, false)
      ) n order by 1) end;
end;

comment on function service.reading_roles(text, jsonb) is
  'The roles of which a caller needs one to see any row of a collection with this source and definition, as far as its rules tell; null when they let others see some.';

revoke all on function service.reading_roles(text, jsonb) from public;
--! EndIncluded catalog/reading_roles.sql
--! Included catalog/catalog_document.sql
create or replace function service.catalog_document() returns json
  language sql stable
begin atomic
  select json_build_object(
    'version', (select c.version from service.catalog c),
    'schemaVersion', (select c.schema_version from service.catalog c),
    'restrictingRoles', coalesce((select json_agg(distinct r) from service.properties p, unnest(p.read_roles || p.write_roles) r), '[]'::json),
    'collections', coalesce((
      select json_agg(json_build_object(
        'slug', c.slug, 'name', c.name, 'singularName', c.singular_name, 'description', c.description, 'key', c.key, 'readOnly', c.read_only,
        'readers', service.reading_roles(c.source, c.definition),
        'schema', c.schema_name, 'table', c.table_name,
        'search', case when jsonb_typeof(c.definition -> 'search') = 'object' then json_build_object(
          'fields', jsonb_path_query_array(c.definition, '$.search.fields[*].path'), 'hybrid', c.definition #>> '{search,mode}' = 'hybrid', 'fuzzy', c.definition #> '{search,fuzzy}') end,
        'properties', (
          select coalesce(json_agg(json_build_object('name', p.name, 'type', p.type, 'sqlType', p.sql_type, 'nullable', not p.not_null, 'required', p.required,
            'generated', p.generated, 'readRoles', p.read_roles, 'writeRoles', p.write_roles, 'attributes', p.attributes) order by p.position), '[]'::json)
          from service.properties p where p.collection = c.slug and not p.excluded),
        'relations', (
          select coalesce(json_agg(json_build_object('name', r.name, 'kind', r.kind, 'target', r.target) order by r.name), '[]'::json)
          from service.relations r where r.collection = c.slug
            and not exists (select from service.properties p where p.collection = r.collection and p.column_name = any (r.local_columns) and p.excluded)
            and not exists (select from service.properties p where p.collection = r.target and p.column_name = any (r.target_columns) and p.excluded))) order by c.slug)
      from service.collections c where c.exposed), '[]'::json));
end;

comment on function service.catalog_document() is
  'The served collections as one JSON document: {version, schemaVersion, restrictingRoles, collections: [{slug, name, singularName, description, key, readOnly, readers (service.reading_roles), schema, table, search, properties, relations}]}.';

revoke all on function service.catalog_document() from public;
--! EndIncluded catalog/catalog_document.sql

--! Previous: sha1:16cbb561044d9f1b3e90b6b1b5b8f9a17ecd00bd
--! Hash: sha1:f4f5ef5e7972b7c9849c11ee6f3d5e1463f0f0d3

--! Included catalog/runs_as_caller.sql
-- As PostgreSQL reads the option, which takes on, yes, true and what they begin with, whatever the case.
create or replace function service.runs_as_caller(options text[]) returns boolean
  language sql stable
begin atomic
  select coalesce(bool_or(o.option_value::boolean), false) from pg_options_to_table(options) o where o.option_name = 'security_invoker';
end;

comment on function service.runs_as_caller(text[]) is
  'Whether a view with these options (pg_class.reloptions) runs with the rights of whoever reads it, under their row security: security_invoker.';

revoke all on function service.runs_as_caller(text[]) from public;
--! EndIncluded catalog/runs_as_caller.sql
--! Included catalog/catalog_fingerprint.sql
create or replace function service.catalog_fingerprint(collections service.collections[], properties service.properties[], relations service.relations[]) returns text
  language sql stable
begin atomic
  select service.fingerprint(array_agg(line)) from (
    select to_jsonb(c)::text as line from unnest(collections) c
    union all select to_jsonb(p)::text from unnest(properties) p
    union all select to_jsonb(r)::text from unnest(relations) r) l;
end;

comment on function service.catalog_fingerprint(service.collections[], service.properties[], service.relations[]) is
  'The service.fingerprint of a catalog: of these rows with every column, in whatever order.';

revoke all on function service.catalog_fingerprint(service.collections[], service.properties[], service.relations[]) from public;
--! EndIncluded catalog/catalog_fingerprint.sql
--! Included catalog/introspect.sql
-- Brings the catalog in line with the tables of one schema, and moves its version when that changes anything. When it
-- does not, nothing is written; when it does, only the rows that differ are. Collections of files give way.
create or replace function service.introspect(schema text, unprotected text) returns boolean
  language plpgsql volatile as $$
declare
  tables service.introspected_table[] := array(select t from service.introspected_tables(schema, unprotected) t where t.reason is null);
  properties service.properties[] := array(select p from service.introspected_properties(tables) p);
  collections service.collections[] := array(select c from service.introspected_collections(tables, properties) c);
  relations service.relations[] := array(select r from service.introspected_relations(tables, properties) r);
  found text := service.catalog_fingerprint(collections, properties, relations);
begin
  if found = (select c.schema_version from service.catalog c) then
    return false;
  end if;
  delete from service.relations r where not exists (select from unnest(relations) n where n = r);
  delete from service.properties p where not exists (select from unnest(properties) n where n = p);
  delete from service.collections c where not exists (select from unnest(collections) n where n = c);
  insert into service.collections select * from unnest(collections) on conflict do nothing;
  insert into service.properties select * from unnest(properties) on conflict do nothing;
  insert into service.relations select * from unnest(relations) on conflict do nothing;
  update service.catalog set version = version + 1, schema_version = found;
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
  return true;
end $$;

comment on function service.introspect(text, text) is
  'Reads the tables of a schema into the catalog (unprotected: skip or serve those without row security). True when the catalog changed; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with an advisory lock.';

revoke all on function service.introspect(text, text) from public;
--! EndIncluded catalog/introspect.sql
--! Included collections/define.sql
-- The whole catalog at once. Nothing is written when it is what is there already, so that a second boot and a second
-- gateway leave no trace. On a server without pgvector the vector properties have no column, so nobody is to ask for it.
create or replace function service.define(catalog jsonb) returns boolean
  language plpgsql volatile as $$
declare
  collections service.collections[] := array(select c from jsonb_populate_recordset(null::service.collections, catalog -> 'collections') c);
  properties service.properties[] := array(
    select case when p.type = 'vector' and service.extension_schema('vector') is null then service.without_column(p) else service.with_vector_schema(p) end
    from jsonb_populate_recordset(null::service.properties, catalog -> 'properties') p);
  relations service.relations[] := array(select r from jsonb_populate_recordset(null::service.relations, catalog -> 'relations') r);
  stored text := service.catalog_fingerprint(
    array(select c from service.collections c), array(select p from service.properties p), array(select r from service.relations r));
begin
  if stored = service.catalog_fingerprint(collections, properties, relations) then
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
--! Included catalog/introspected_tables.sql
-- Every table and view of the schema with what decides whether it is served. One row each; reason is null for those
-- that are. Here and in what builds on it everything is joined as sets: with 2,000 tables a function call or a
-- subquery for each table or column took 25 seconds, the joins take one.
create or replace function service.introspected_tables(schema text, unprotected text) returns setof service.introspected_table
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with relation as (
    select c.oid, c.relname::text as name, c.relkind, c.relrowsecurity, j.oid is not null as junction, d.description,
      case c.relkind when 'v' then service.view_key(c.oid) else p.conkey end as key,
      exists (select from pg_policy p where p.polrelid = c.oid) as has_policy,
      case c.relkind when 'v' then service.runs_as_caller(c.reloptions) end as invoker
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
    left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = c.oid and d.objsubid = 0
    left join service.junctions(introspected_tables.schema) j (oid) on j.oid = c.oid
    where n.nspname = introspected_tables.schema
      and c.relkind in ('r', 'p', 'v')
      and not c.relispartition
      and c.relname not like 'drizzle\_%'
      -- What an extension brought belongs to it.
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  )
  select r.oid, introspected_tables.schema, r.name, r.relkind, r.key, r.junction, r.description,
    case
      when r.name in ('collections', '_batch') then 'its name is taken by a route'
      when r.relkind = 'v' and not r.invoker then 'a view that runs as its owner, past row security'
      when r.key is null and r.relkind = 'v' then 'a view whose key is not known'
      when r.key is null then 'no primary key'
      when r.relkind <> 'v' and introspected_tables.unprotected <> 'serve' and not r.relrowsecurity then 'row security is off'
      when r.relkind <> 'v' and introspected_tables.unprotected <> 'serve' and not r.has_policy then 'row security is on, but there is no policy'
    end,
    case
      when r.name in ('collections', '_batch') then format('alter table %I.%I rename to …;', introspected_tables.schema, r.name)
      when r.relkind = 'v' and not r.invoker then format('alter view %I.%I set (security_invoker = on);', introspected_tables.schema, r.name)
      when r.key is null and r.relkind = 'v' then format('comment on view %I.%I is ''@key id'';', introspected_tables.schema, r.name)
      when r.key is null then format('alter table %I.%I add primary key (…);', introspected_tables.schema, r.name)
      when not r.relrowsecurity then format('alter table %1$I.%2$I enable row level security; create policy %3$I on %1$I.%2$I for select using (…);', introspected_tables.schema, r.name, r.name || '_read')
      else format('create policy %3$I on %1$I.%2$I for select using (…);', introspected_tables.schema, r.name, r.name || '_read')
    end
  from relation r;
end;

comment on function service.introspected_tables(text, text) is
  'The tables and views of a schema: slug, key columns, whether it is a pure junction, and for those that are not served the reason and the SQL that would change it. unprotected: skip or serve tables without row security.';

revoke all on function service.introspected_tables(text, text) from public;
--! EndIncluded catalog/introspected_tables.sql
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
    and not (r.oid is not null and c.read_only and r.relkind = 'v' and service.runs_as_caller(r.reloptions));
end;

comment on function service.plan_tables() is 'The part of service.provision_plan() about tables and their keys.';

revoke all on function service.plan_tables() from public;
--! EndIncluded provision/plan_tables.sql
--! Included read/compile.sql
-- The one place that writes the SQL of a data request. The gateway caches the text by shape and runs it as a prepared
-- statement; service.list runs the same text.
create or replace function service.compile(shape jsonb, roles text[], out statement text, out lane text, out enter_first boolean, out revalidates boolean)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  collection text := service.path_collection(shape -> 'path');
begin
  perform service.require_path_readable(shape -> 'path', roles);
  if shape ? 'after' then
    perform service.require_cursor(collection, shape, roles);
  end if;
  if shape ? 'checked' then
    perform service.check_names(collection, shape, roles);
  end if;
  statement := case shape ->> 'op'
    when 'list' then service.statement_list(collection, shape, roles)
    when 'get' then service.statement_get(collection, shape, roles)
    when 'count' then service.statement_count(collection, shape, roles)
    when 'aggregate' then service.statement_aggregate(collection, shape, roles)
  end;
  enter_first := service.needs_entering(statement) or shape ->> 'op' in ('count', 'aggregate') and service.is_costly(collection, statement);
  if enter_first then
    -- Who has entered needs no gate; and a statement that enters is never planned for several processes.
    statement := replace(statement, 'service.enter($1) as ok', '$1::text is not null as ok');
  end if;
  -- A transaction of several statements needs a connection for itself.
  lane := case when shape ->> 'op' = 'get' and not shape ? 'search' and not enter_first then 'point' else 'scan' end;
  revalidates := shape ->> 'op' = 'get' and not shape ? 'include'
    and not exists (select from service.collections c where c.slug = collection and c.callbacks ? 'afterRead');
end $$;

comment on function service.compile(jsonb, text[]) is
  'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include, search, vector, select, groupBy …; checked: clauses of which only the names are checked}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before, the statement does not (partitioned tables whose policies call identity functions bare; counts and aggregates of so many rows that several processes are worth the round trips). revalidates: the answer depends on nothing but the row, so while its tag stands the answer stands (no related rows, no afterRead). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 FEATURE_DISABLED for a vector property on a server without pgvector.';

revoke all on function service.compile(jsonb, text[]) from public;
--! EndIncluded read/compile.sql
--! Included read/get.sql
create or replace function service.get(collection text, id text, request json default '{}', claims jsonb default service.service_claims()) returns json
  language sql volatile
  return (select r::json from service.run(service.with_route('get', array[collection, id], request), claims) r);

comment on function service.get(text, text, json, jsonb) is
  'The answer of GET /data/<collection>/<id>, as JSON; null where the API says 404. Its ETag is service.row_tag, the second column of the statement. request: {fields, include, where, logical}, see service.hoist. claims: the caller, by default the service key.';

revoke all on function service.get(text, text, json, jsonb) from public;
--! EndIncluded read/get.sql
--! Included read/count.sql
create or replace function service.count(collection text, request json default '{}', claims jsonb default service.service_claims()) returns json
  language sql volatile
  return (select r::json from service.run(service.with_route('count', array[collection], request), claims) r);

comment on function service.count(text, json, jsonb) is
  'The answer of GET /data/<collection>/count, as JSON. request: {where, logical, search, distinct, fields}, see service.hoist. claims: the caller, by default the service key.';

revoke all on function service.count(text, json, jsonb) from public;
--! EndIncluded read/count.sql

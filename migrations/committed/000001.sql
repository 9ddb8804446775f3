--! Previous: -
--! Hash: sha1:4a8eb9a74b7ce35e21af587a30c837f33156d456

-- The end-user role. Roles are shared by all databases of a server, so another database may have made it already.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'service_user') then
    create role service_user nologin noinherit;
  end if;
exception when duplicate_object or unique_violation then
  null;
end $$;

create schema if not exists service;
grant usage on schema service to service_user;

-- What is served. Filled from the tables of a database or from collection files; SQL reads only this.
create table service.collections (
  slug text primary key,
  source text not null check (source in ('introspected', 'file')),
  name text not null,
  singular_name text not null,
  description text,
  schema_name text not null,
  table_name text not null,
  key text[] not null check (cardinality(key) > 0),
  exposed boolean not null default true,
  read_only boolean not null default false,
  strict_writes boolean not null default true,
  callbacks jsonb not null default '{}',
  definition jsonb
);
comment on table service.collections is 'Collections: one table or view each, reachable at /data/<slug>.';
comment on column service.collections.key is 'Property names of the primary key, in order.';
comment on column service.collections.strict_writes is 'False: a body may name a real column that is not declared.';
comment on column service.collections.callbacks is 'Hook name to SQL function: beforeSave, afterSave, beforeDelete, afterDelete, afterRead.';
comment on column service.collections.definition is 'The collection file this comes from; null for a table that was there before.';
comment on column service.collections.exposed is 'False: known as a relation''s target, without routes of its own.';

create table service.properties (
  collection text not null references service.collections on delete cascade,
  name text not null,
  column_name text not null,
  position integer not null,
  type text not null check (type in ('string', 'number', 'boolean', 'date', 'array', 'map', 'geopoint', 'vector', 'binary')),
  sql_type text not null,
  not_null boolean not null,
  required boolean not null,
  generated boolean not null default false,
  excluded boolean not null default false,
  read_roles text[],
  write_roles text[],
  attributes jsonb not null default '{}',
  primary key (collection, name)
);
comment on table service.properties is 'The columns of a collection under their wire names.';
comment on column service.properties.sql_type is 'The type that a value is cast to: the column''s, without length; the base type of a domain.';
comment on column service.properties.read_roles is 'Roles that may read it; null: everybody, empty: nobody.';
comment on column service.properties.attributes is 'description, enum (ids), maxLength, format, dimensions, isId, validation, autoValue, defaultValue, email, url; column: {type, default, identity, unique, enumType, touch, index} says how a property of a file is provisioned.';

create table service.relations (
  collection text not null references service.collections on delete cascade,
  name text not null,
  kind text not null check (kind in ('belongsTo', 'hasOne', 'hasMany', 'manyToMany', 'via')),
  target text not null references service.collections on delete cascade deferrable initially deferred,
  local_columns text[] not null,
  target_columns text[] not null,
  junction_schema text,
  junction_table text,
  junction_source text[],
  junction_target text[],
  pivot jsonb,
  on_delete text,
  primary key (collection, name)
);
comment on table service.relations is 'The ways from one collection to another: direct (local_columns = target_columns), or through a junction table (local_columns = junction_source, junction_target = target_columns).';
comment on column service.relations.pivot is 'The junction''s own properties: [{name, columnName, type, sqlType, required, attributes}]; null for a pure junction.';

-- Deleting a collection looks for the relations that lead to it.
create index on service.relations (target);

create type service.introspected_table as (
  oid oid,
  schema_name text,
  slug text,
  kind "char",
  key smallint[],
  junction boolean,
  description text,
  reason text,
  remedy text
);
comment on type service.introspected_table is 'A table or view as introspection finds it; reason says why it is not served (null: it is), remedy the SQL that would change that.';

create type service.provision_step as (
  step integer,
  kind text,
  target text,
  statement text,
  concurrent boolean,
  verdict text,
  detail text,
  remedy text
);
comment on type service.provision_step is 'A difference between what collections ask for and what the database has. statement brings it about (null: it is only told), concurrent when it has to run by itself, outside a transaction; verdict: safe, withheld, report; detail says what is the matter, remedy the SQL that would help.';

-- The version moves with every change of the catalog; gateways drop compiled statements when it does.
create table service.catalog (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 1,
  schema_version text not null default 'v1:0000000000000000'
);
insert into service.catalog default values;
comment on table service.catalog is 'One row: the version of the catalog, and the hash that stands for its collections.';

-- HMAC-SHA256 wants the key padded to 64 bytes and XORed with 0x36 and 0x5c (RFC 2104).
create table service.cursor_key (
  only_row boolean primary key default true check (only_row),
  inner_key bytea not null,
  outer_key bytea not null
);
comment on table service.cursor_key is 'The key that signs cursors, padded for HMAC. Never leaves the database.';
insert into service.cursor_key (inner_key, outer_key)
select string_agg(set_byte('\x00', 0, b # 54), '' order by n), string_agg(set_byte('\x00', 0, b # 92), '' order by n)
from (
  select n, case when n < 32 then get_byte(key, n) else 0 end as b
  from generate_series(0, 63) n, (select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) as key) k
) padded;

create table service.login_key (
  only_row boolean primary key default true check (only_row),
  key text not null default encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex')
);
insert into service.login_key default values;
comment on table service.login_key is 'From this every gateway derives the passwords of the login roles of its lanes.';

--! Included catalog/base_type.sql
create or replace function service.base_type(type oid) returns oid
  language sql stable
begin atomic
  with recursive base (oid, typbasetype) as (
    select t.oid, t.typbasetype from pg_type t where t.oid = base_type.type
    union all
    select t.oid, t.typbasetype from base b join pg_type t on t.oid = b.typbasetype
  )
  select b.oid from base b where b.typbasetype = 0;
end;

comment on function service.base_type(oid) is 'The type under a domain, or the type itself.';

revoke all on function service.base_type(oid) from public;
--! EndIncluded catalog/base_type.sql
--! Included catalog/camel_case.sql
create or replace function service.camel_case(name text) returns text
  language sql immutable parallel safe
begin atomic
  select case when name like '\_%' then name else string_agg(case n when 1 then part else upper(left(part, 1)) || substr(part, 2) end, '' order by n) end
  from regexp_split_to_table(name, '_') with ordinality s (part, n);
end;

comment on function service.camel_case(text) is 'The wire name of a column: user_id is userId, photoURL stays.';

revoke all on function service.camel_case(text) from public;
--! EndIncluded catalog/camel_case.sql
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
        'schema', c.schema_name, 'table', c.table_name,
        'properties', (
          select coalesce(json_agg(json_build_object('name', p.name, 'type', p.type, 'sqlType', p.sql_type, 'nullable', not p.not_null, 'required', p.required,
            'generated', p.generated, 'readRoles', p.read_roles, 'writeRoles', p.write_roles, 'attributes', p.attributes) order by p.position), '[]'::json)
          from service.properties p where p.collection = c.slug and not p.excluded),
        'relations', (
          select coalesce(json_agg(json_build_object('name', r.name, 'kind', r.kind, 'target', r.target) order by r.name), '[]'::json)
          from service.relations r where r.collection = c.slug)) order by c.slug)
      from service.collections c where c.exposed), '[]'::json));
end;

comment on function service.catalog_document() is
  'The served collections as one JSON document: {version, schemaVersion, restrictingRoles, collections: [{slug, name, singularName, description, key, readOnly, schema, table, properties, relations}]}.';

revoke all on function service.catalog_document() from public;
--! EndIncluded catalog/catalog_document.sql
--! Included catalog/column_names.sql
create or replace function service.column_names(relation oid, columns smallint[]) returns text[]
  language sql stable
begin atomic
  select array_agg(a.attname::text order by c.n)
  from unnest(columns) with ordinality c (attnum, n)
  join pg_attribute a on a.attrelid = column_names.relation and a.attnum = c.attnum;
end;

comment on function service.column_names(oid, smallint[]) is 'Column names of a table by attribute number, in that order.';

revoke all on function service.column_names(oid, smallint[]) from public;
--! EndIncluded catalog/column_names.sql
--! Included catalog/fingerprint.sql
create or replace function service.fingerprint(lines text[]) returns text
  language sql immutable parallel safe
begin atomic
  select 'v1:' || left(encode(sha256(convert_to(coalesce(string_agg(line, chr(10) order by line collate "C"), ''), 'UTF8')), 'hex'), 16)
  from unnest(lines) line;
end;

comment on function service.fingerprint(text[]) is 'v1: and the first 16 hex digits of SHA-256 over the lines, in whatever order they come.';

revoke all on function service.fingerprint(text[]) from public;
--! EndIncluded catalog/fingerprint.sql
--! Included catalog/grant_served.sql
create or replace function service.grant_served() returns setof text
  language plpgsql volatile as $$
declare
  statement text;
begin
  for statement in select * from service.missing_grants() loop
    execute statement;
    return next statement;
  end loop;
end $$;

comment on function service.grant_served() is 'Runs the statements of service.missing_grants() and returns them.';

revoke all on function service.grant_served() from public;
--! EndIncluded catalog/grant_served.sql
--! Included catalog/humanize.sql
create or replace function service.humanize(name text) returns text
  language sql immutable parallel safe
  return upper(left(name, 1)) || replace(substr(name, 2), '_', ' ');

comment on function service.humanize(text) is 'A label from a name: order_items is Order items.';

revoke all on function service.humanize(text) from public;
--! EndIncluded catalog/humanize.sql
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
  found text := (
    select service.fingerprint(array_agg(line)) from (
      select to_jsonb(c)::text as line from unnest(collections) c
      union all select to_jsonb(p)::text from unnest(properties) p
      union all select to_jsonb(r)::text from unnest(relations) r) l);
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
--! Included catalog/singular.sql
-- The regular English plurals; what it does not know it leaves alone.
create or replace function service.singular(name text) returns text
  language sql immutable parallel safe
  return case
    when name ~* 'people$' then regexp_replace(name, 'people$', 'person', 'i')
    when name ~* 'children$' then regexp_replace(name, 'ren$', '', 'i')
    when name ~* '(series|species|news)$' then name
    when name ~* '[^aeiou]ies$' then regexp_replace(name, 'ies$', 'y', 'i')
    when name ~* '(ss|sh|ch|x|z)es$' then regexp_replace(name, 'es$', '', 'i')
    when name ~* '(ss|us|is)$' then name
    when name ~* 's$' then regexp_replace(name, 's$', '', 'i')
    else name
  end;

comment on function service.singular(text) is 'The singular of an English plural: categories is category, addresses is address, status stays.';

revoke all on function service.singular(text) from public;
--! EndIncluded catalog/singular.sql
--! Included catalog/introspected_collections.sql
-- No nested loops, as in service.introspected_relations.
create or replace function service.introspected_collections(tables service.introspected_table[], properties service.properties[])
  returns setof service.collections
  language sql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off set jit = off
begin atomic
  with key as (
    select t.slug, array_agg(p.name order by k.n) as names
    from unnest(tables) t
    cross join unnest(t.key) with ordinality k (attnum, n)
    join unnest(properties) p on p.collection = t.slug and p.position = k.attnum
    group by t.slug
  )
  select t.slug, 'introspected', service.humanize(t.slug), service.humanize(service.singular(t.slug)),
    nullif(trim(regexp_replace(t.description, '@key [^\n]+', '')), ''), t.schema_name, t.slug, k.names, true, t.kind = 'v',
    true, '{}'::jsonb, null::jsonb
  from unnest(tables) t
  join key k on k.slug = t.slug
  where not t.junction;
end;

comment on function service.introspected_collections(service.introspected_table[], service.properties[]) is
  'The served tables and views as rows of service.collections; views are read-only.';

revoke all on function service.introspected_collections(service.introspected_table[], service.properties[]) from public;
--! EndIncluded catalog/introspected_collections.sql
--! Included catalog/property_type.sql
create or replace function service.property_type(type oid) returns text
  language sql stable
begin atomic
  select case
    when t.typname in ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money') then 'number'
    when t.typname = 'bool' then 'boolean'
    when t.typname in ('date', 'timestamp', 'timestamptz', 'time', 'timetz') then 'date'
    when t.typname in ('json', 'jsonb') then 'map'
    when t.typname in ('vector', 'halfvec', 'sparsevec') then 'vector'
    when t.typname = 'bytea' then 'binary'
    when t.typcategory = 'A' then 'array'
    else 'string'
  end
  from pg_type t
  where t.oid = service.base_type(property_type.type);
end;

comment on function service.property_type(oid) is 'The property type of a column type; string for whatever has no type of its own.';

revoke all on function service.property_type(oid) from public;
--! EndIncluded catalog/property_type.sql
--! Included catalog/sql_type.sql
-- format_type writes "character" for bpchar and "bit", which as casts mean one character and one bit.
create or replace function service.sql_type(type oid) returns text
  language sql stable
  return case service.base_type(type)
    when 'bpchar'::regtype then 'bpchar'
    when 'bpchar[]'::regtype then 'bpchar[]'
    when 'bit'::regtype then '"bit"'
    when 'bit[]'::regtype then '"bit"[]'
    else format_type(service.base_type(type), null)
  end;

comment on function service.sql_type(oid) is 'The name to cast a value to, so that it has a column''s type: schema-qualified, without length, a domain''s base type.';

revoke all on function service.sql_type(oid) from public;
--! EndIncluded catalog/sql_type.sql
--! Included catalog/introspected_properties.sql
create or replace function service.introspected_properties(tables service.introspected_table[])
  returns setof service.properties
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with found as materialized (
    select t.slug, t.key, a.attname::text as column_name, a.attrelid, a.attnum, a.atttypid, a.atttypmod, a.attnotnull, a.atthasdef, a.attidentity, a.attgenerated
    from unnest(tables) t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where not t.junction
  ), wire as materialized (
    select n.column_name, service.camel_case(n.column_name) as name from (select distinct f.column_name from found f) n
  ), type as materialized (
    select b.oid, b.base, service.property_type(b.base) as name, service.sql_type(b.base) as sql_type,
      (select jsonb_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = b.base) as labels
    from (select distinct f.atttypid as oid, service.base_type(f.atttypid) as base from found f) b
  ), named as (
    select f.*, w.name as wire,
      -- Two columns, one wire name: the one that is spelled so keeps it, the other goes by its raw name.
      row_number() over (partition by f.attrelid, w.name order by f.column_name = w.name desc, f.attnum) as claim
    from found f
    join wire w on w.column_name = f.column_name
  )
  select n.slug, case n.claim when 1 then n.wire else n.column_name end, n.column_name, n.attnum::integer,
    t.name, t.sql_type, n.attnotnull,
    n.attnotnull and not n.atthasdef and n.attidentity = '' and n.attgenerated = '',
    n.attidentity = 'a' or n.attgenerated <> '',
    n.atttypid in ('tsvector'::regtype, 'tsquery'::regtype),
    null::text[], null::text[],
    jsonb_strip_nulls(jsonb_build_object(
      'description', d.description,
      'enum', t.labels,
      'maxLength', case when t.base in ('varchar'::regtype, 'bpchar'::regtype) and n.atttypmod > 4 then n.atttypmod - 4 end,
      'dimensions', case when t.name = 'vector' and n.atttypmod > 0 then n.atttypmod end,
      'isId', case when n.attnum = any (n.key) then
        case when n.atttypid = 'uuid'::regtype then '"uuid"'::jsonb when t.name = 'number' then '"increment"' else 'true' end end))
  from named n
  join type t on t.oid = n.atttypid
  left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = n.attrelid and d.objsubid = n.attnum;
end;

comment on function service.introspected_properties(service.introspected_table[]) is
  'The columns of the served tables as rows of service.properties. Text search columns are kept out of the API; generated ones are read-only.';

revoke all on function service.introspected_properties(service.introspected_table[]) from public;
--! EndIncluded catalog/introspected_properties.sql
--! Included catalog/introspected_relations.sql
-- Each foreign key is a belongsTo on its own side and a hasMany (hasOne, when the columns are unique) on the other;
-- a pure junction is a manyToMany on both. A name that is taken gets a number.
-- The planner takes an array for ten rows, and would compare each relation with each of 18,000 properties: no nested
-- loops (0.3 s for 5 s with 2,000 tables), and no compilation for the cost that it then believes in.
create or replace function service.introspected_relations(tables service.introspected_table[], properties service.properties[])
  returns setof service.relations
  language sql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off set jit = off
begin atomic
  with served as materialized (
    select t.* from unnest(tables) t
  ), foreign_key as materialized (
    select f.oid, f.conrelid, f.confrelid, f.conkey, child.slug as child, child.schema_name, child.junction, parent.slug as parent,
      n.child_columns, n.parent_columns,
      f.conkey <@ child.key as in_key,
      exists (select from pg_index i where i.indrelid = f.conrelid and i.indisunique and i.indpred is null
        and i.indnkeyatts = cardinality(f.conkey) and i.indkey::smallint[] <@ f.conkey) as unique_columns,
      count(*) over (partition by f.conrelid, f.confrelid) as siblings
    from pg_constraint f
    join served child on child.oid = f.conrelid
    join served parent on parent.oid = f.confrelid and not parent.junction
    cross join lateral (
      select array_agg(c.attname::text order by k.n) as child_columns, array_agg(p.attname::text order by k.n) as parent_columns
      from unnest(f.conkey, f.confkey) with ordinality k (child, parent, n)
      join pg_attribute c on c.attrelid = f.conrelid and c.attnum = k.child
      join pg_attribute p on p.attrelid = f.confrelid and p.attnum = k.parent
    ) n
    where f.contype = 'f'
  ), candidate (collection, name, kind, target, local_columns, target_columns, junction_schema, junction_table, junction_source, junction_target, rank, tie) as (
    select f.child,
      case
        when cardinality(f.conkey) > 1 or (f.in_key and f.child_columns[1] not like '%\_id') then service.camel_case(f.parent)
        else service.camel_case(regexp_replace(f.child_columns[1], '_id$', ''))
      end,
      'belongsTo', f.parent, f.child_columns, f.parent_columns, null::text, null::text, null::text[], null::text[], 1, f.oid
    from foreign_key f where not f.junction
    union all
    select f.parent, f.child || case when f.siblings > 1 then '_' || array_to_string(f.child_columns, '_') else '' end,
      case when f.unique_columns then 'hasOne' else 'hasMany' end, f.child, f.parent_columns, f.child_columns, null, null, null, null, 2, f.oid
    from foreign_key f where not f.junction
    union all
    select here.parent, there.parent || case when here.siblings > 1 then '_' || there.child_columns[1] else '' end,
      'manyToMany', there.parent, here.parent_columns, there.parent_columns,
      here.schema_name, here.child, here.child_columns, there.child_columns, 3, here.oid
    from foreign_key here join foreign_key there on there.junction and there.conrelid = here.conrelid and there.oid <> here.oid
    where here.junction
  ), fitting as (
    -- Row keys are column names in the compiled text, where PostgreSQL cuts what is longer than a name.
    select c.collection, c.name::name::text as name, c.kind, c.target, c.local_columns, c.target_columns,
      c.junction_schema, c.junction_table, c.junction_source, c.junction_target, c.rank, c.tie
    from candidate c
  ), numbered as (
    select c.*, row_number() over (partition by c.collection, c.name order by c.rank, c.tie)
      + case when c.name in ('count', 'aggregate', 'bulk', 'history') or (p.name is not null and not (c.kind = 'belongsTo' and p.column_name = any (c.local_columns))) then 1 else 0 end as n
    from fitting c
    left join unnest(properties) p on p.collection = c.collection and p.name = c.name
  )
  select n.collection, case n.n when 1 then n.name else case when octet_length(n.name) > 59 then left(n.name, -4) else n.name end || '_' || n.n end, n.kind, n.target, n.local_columns, n.target_columns,
    n.junction_schema, n.junction_table, n.junction_source, n.junction_target, null::jsonb, null::text
  from numbered n;
end;

comment on function service.introspected_relations(service.introspected_table[], service.properties[]) is
  'The relations of the served tables as rows of service.relations: belongsTo named after the column without _id, its inverse and many-to-many named after the table they lead to.';

revoke all on function service.introspected_relations(service.introspected_table[], service.properties[]) from public;
--! EndIncluded catalog/introspected_relations.sql
--! Included catalog/junctions.sql
-- A pure junction: exactly two foreign keys of one column each, together unique, nothing else that a client would
-- write (generated columns, identities and timestamps the database fills do not count), and nobody refers to it.
create or replace function service.junctions(schema text) returns setof oid
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with linking as (
    select f.conrelid as oid, array_agg(f.conkey[1]) as columns
    from pg_constraint f
    where f.contype = 'f'
    group by f.conrelid
    having count(*) = 2 and count(distinct f.conkey[1]) = 2 and max(cardinality(f.conkey)) = 1
  )
  select l.oid
  from linking l
  join pg_class c on c.oid = l.oid
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = junctions.schema
  where exists (
      select from pg_index i
      where i.indrelid = l.oid and i.indisunique and i.indpred is null and i.indnkeyatts = 2
        and (i.indkey::smallint[])[0] = any (l.columns) and (i.indkey::smallint[])[1] = any (l.columns))
    and not exists (
      select from pg_attribute a
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = l.oid and a.attnum > 0 and not a.attisdropped
        and a.attnum <> all (l.columns)
        and a.attidentity = '' and a.attgenerated = ''
        and not (d.oid is not null and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype))
        and not coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval(%', false))
    and not exists (select from pg_constraint f where f.confrelid = l.oid and f.contype = 'f');
end;

comment on function service.junctions(text) is 'The tables of a schema that only link two others, so that they become many-to-many relations instead of collections.';

revoke all on function service.junctions(text) from public;
--! EndIncluded catalog/junctions.sql
--! Included catalog/view_key.sql
-- A view has no primary key. Its comment may name one (@key column[, column]), or it exposes the whole key of exactly
-- one of its base tables under the same names.
create or replace function service.view_key(view oid) returns smallint[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with said as (
    select array_agg(a.attnum order by k.n) as key
    from regexp_split_to_table(substring(obj_description(view_key.view, 'pg_class') from '@key ([^\n]+)'), '\s*,\s*') with ordinality k (name, n)
    join pg_attribute a on a.attrelid = view_key.view and a.attname = trim(k.name) and a.attnum > 0 and not a.attisdropped
  ), exposed as (
    select p.conrelid, array_agg(v.attnum order by k.n) as key, count(*) = cardinality(p.conkey) as whole
    from pg_rewrite r
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
    join pg_constraint p on p.conrelid = d.refobjid and p.contype = 'p'
    join unnest(p.conkey) with ordinality k (attnum, n) on k.attnum = d.refobjsubid
    join pg_attribute b on b.attrelid = p.conrelid and b.attnum = k.attnum
    join pg_attribute v on v.attrelid = r.ev_class and v.attname = b.attname and v.attnum > 0 and not v.attisdropped
    where r.ev_class = view_key.view and d.refobjid <> view_key.view
    group by p.conrelid, p.conkey
  )
  select coalesce(
    (select s.key from said s),
    (select min(e.key) from exposed e where e.whole having count(*) = 1))
  where exists (select from pg_class c where c.oid = view_key.view and c.relkind = 'v');
end;

comment on function service.view_key(oid) is 'The key columns of a view as attribute numbers; null when they are not known, and for what is no view.';

revoke all on function service.view_key(oid) from public;
--! EndIncluded catalog/view_key.sql
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
      coalesce(c.reloptions && array['security_invoker=true', 'security_invoker=on', 'security_invoker=1', 'security_invoker=yes'], false) as invoker
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
--! Included catalog/on_ddl.sql
-- Temporary tables come and go all day, and grants change nothing that is served: neither is worth a look. So the
-- grants that a look gives do not cause the next one.
create or replace function service.on_ddl() returns event_trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  matters boolean := case tg_event
    when 'sql_drop' then exists (select from pg_event_trigger_dropped_objects() o where not o.is_temporary)
    else exists (
      select from pg_event_trigger_ddl_commands() c
      where c.schema_name is distinct from 'pg_temp' and c.command_tag not in ('GRANT', 'REVOKE')) end;
begin
  if matters then
    perform pg_notify('service_catalog', 'ddl');
  end if;
end $$;

comment on function service.on_ddl() is 'Event trigger: tells the gateways that tables may have changed. One notification a transaction.';

revoke all on function service.on_ddl() from public;
--! EndIncluded catalog/on_ddl.sql
--! Included catalog/reload.sql
create or replace function service.reload() returns void
  language sql volatile
begin atomic
  select pg_notify('service_catalog', 'ddl');
end;

comment on function service.reload() is 'Asks every gateway to look at the tables again. Needed after DDL only where service.watch_ddl() returned false.';

revoke all on function service.reload() from public;
--! EndIncluded catalog/reload.sql
--! Included catalog/unreachable_policies.sql
create or replace function service.unreachable_policies() returns table (table_name text, policy text, roles text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select p.polrelid::regclass::text, p.polname::text, (select string_agg(r.rolname, ', ' order by r.rolname) from pg_roles r where r.oid = any (p.polroles))
  from pg_policy p
  join pg_class c on c.oid = p.polrelid
  join pg_namespace n on n.oid = c.relnamespace
  join service.collections s on s.schema_name = n.nspname and s.table_name = c.relname
  where not p.polroles && array[0::oid, (select r.oid from pg_roles r where r.rolname = 'service_user')]
  order by 1, 2;
end;

comment on function service.unreachable_policies() is 'Policies of served tables that can never apply to a request, because they are for roles other than public and service_user.';

revoke all on function service.unreachable_policies() from public;
--! EndIncluded catalog/unreachable_policies.sql
--! Included catalog/watch_ddl.sql
create or replace function service.watch_ddl() returns boolean
  language plpgsql volatile as $$
begin
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'service_ddl') then
    create event trigger service_ddl on ddl_command_end execute function service.on_ddl();
  end if;
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'service_drop') then
    create event trigger service_drop on sql_drop execute function service.on_ddl();
  end if;
  return true;
exception when insufficient_privilege then
  return false;
end $$;

comment on function service.watch_ddl() is 'Sets up the event triggers that announce DDL. False where the owner may not create event triggers: call service.reload() after DDL then.';

revoke all on function service.watch_ddl() from public;
--! EndIncluded catalog/watch_ddl.sql
--! Included collections/define.sql
-- The whole catalog at once. Nothing is written when it is what is there already, so that a second boot and a second
-- gateway leave no trace. On a server without pgvector the vector properties have no column, so nobody is to ask for it.
create or replace function service.define(catalog jsonb) returns boolean
  language plpgsql volatile as $$
declare
  collections service.collections[] := array(select c from jsonb_populate_recordset(null::service.collections, catalog -> 'collections') c);
  properties service.properties[] := array(
    select case when p.type = 'vector' and service.vector_schema() is null then service.without_column(p) else p end
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
--! Included collections/schema_version.sql
-- Labels, rules and callbacks of a collection are not in it: an SDK that was generated before they changed still fits.
create or replace function service.schema_version() returns text
  language sql stable
begin atomic
  select service.fingerprint(array_agg(line)) from (
    select to_jsonb(c.slug)::text as line from service.collections c
    union all select (to_jsonb(p) - 'position')::text from service.properties p
    union all select to_jsonb(r)::text from service.relations r) l;
end;

comment on function service.schema_version() is 'The hash that stands for the collections of the catalog, their properties and relations.';

revoke all on function service.schema_version() from public;
--! EndIncluded collections/schema_version.sql
--! Included collections/without_column.sql
create or replace function service.without_column(property service.properties) returns service.properties
  language plpgsql immutable as $$
begin
  property.excluded := true;
  property.required := false;
  property.read_roles := '{}';
  property.write_roles := '{}';
  return property;
end $$;

comment on function service.without_column(service.properties) is 'The property as one that nobody reads or writes.';

revoke all on function service.without_column(service.properties) from public;
--! EndIncluded collections/without_column.sql
--! Included error/fail.sql
create or replace function service.fail(status integer, code text, message text, details jsonb default null) returns text
  language plpgsql volatile as $$
begin
  raise exception using
    errcode = 'GW' || status,
    message = message,
    detail = coalesce(details::text, ''),
    hint = code;
end $$;

comment on function service.fail(integer, text, text, jsonb) is
  'Refuses a request: SQLSTATE GW<status>, the human message, details (JSON object) as DETAIL and the error code as HINT. Never returns; declared text so that it can stand in an expression.';

revoke all on function service.fail(integer, text, text, jsonb) from public;
--! EndIncluded error/fail.sql
--! Included identity/enter.sql
-- The gate of every request: the settings are transaction-local, so they are gone when the statement ends.
-- current_user is checked because a pooler may drop the startup parameters that make a connection restricted;
-- without the check such a connection would read as its owner, past row security.
-- json and four set_config calls: 3 microseconds; jsonb costs one more.
create or replace function service.enter(claims text) returns boolean
  language plpgsql volatile as $$
declare
  claim json := claims;
  uid text := coalesce(nullif(claim ->> 'uid', ''), 'anonymous');
begin
  if current_user <> 'service_user' then
    raise exception using
      errcode = '42501',
      message = format('service.enter runs as %I, not as service_user', current_user),
      hint = 'Log in as a role whose settings say role = service_user; a pooler must keep them.';
  end if;
  return set_config('app.uid', uid, true) is not null
    and set_config('app.user_roles', case when uid = 'anonymous' then 'anon' else coalesce(claim ->> 'roles', '') end, true) is not null
    and set_config('app.is_anonymous', coalesce(claim ->> 'isAnonymous', 'false'), true) is not null
    and set_config('app.jwt', coalesce(claim ->> 'jwt', '{}'), true) is not null;
end $$;

comment on function service.enter(text) is
  'Sets the caller for the current transaction from claims {"uid":text,"roles":"a,b","isAnonymous":boolean,"jwt":object}; a blank uid is ''anonymous'' with role anon. True, or an error: 42501 when the session does not run as service_user. Called by the gateway as the first step of every statement.';

revoke all on function service.enter(text) from public;
grant execute on function service.enter(text) to service_user;
--! EndIncluded identity/enter.sql
--! Included identity/is_anonymous.sql
create or replace function service.is_anonymous() returns boolean
  language sql stable parallel safe
  return coalesce(nullif(current_setting('app.is_anonymous', true), '')::boolean, false);

comment on function service.is_anonymous() is
  'True for a guest account (signed in, but without credentials of its own). False for everybody else and outside a request.';

revoke all on function service.is_anonymous() from public;
grant execute on function service.is_anonymous() to service_user;
--! EndIncluded identity/is_anonymous.sql
--! Included identity/jwt.sql
create or replace function service.jwt() returns jsonb
  language sql stable parallel safe
  return coalesce(nullif(current_setting('app.jwt', true), '')::jsonb, '{}'::jsonb);

comment on function service.jwt() is
  'The caller''s verified claims: custom claims of the token, with sub, roles and is_anonymous written by the service. {} outside a request. In a policy: (select service.jwt()) ->> ''org_id''.';

revoke all on function service.jwt() from public;
grant execute on function service.jwt() to service_user;
--! EndIncluded identity/jwt.sql
--! Included identity/login_role.sql
-- A login role for one lane of this database: a member of service_user and nothing else, restricted by its settings,
-- which a transaction pooler keeps. Settings are written only where they differ: two gateways that start together
-- would else update the same catalog row ("tuple concurrently updated").
-- A role of this name that is no member of service_user is somebody else's: neither its password nor its settings are ours.
create or replace function service.login_role(name text, password text, settings jsonb, renew boolean default false) returns void
  language plpgsql volatile as $$
declare
  setting record;
  is_ours boolean := (
    select exists (select from pg_catalog.pg_auth_members m join pg_catalog.pg_roles g on g.oid = m.roleid where m.member = r.oid and g.rolname = 'service_user')
    from pg_catalog.pg_roles r where r.rolname = name);
  current text[] := (
    select s.setconfig from pg_catalog.pg_db_role_setting s
    join pg_catalog.pg_roles r on r.oid = s.setrole join pg_catalog.pg_database d on d.oid = s.setdatabase
    where r.rolname = name and d.datname = current_database());
begin
  if is_ours is null then
    execute format('create role %I login noinherit password %L', name, password);
    execute format('grant service_user to %I', name);
  elsif not is_ours then
    raise exception using
      errcode = '42710',
      message = format('role %I exists and is not one of this service', name),
      hint = format('Rename it, or name logins of your own (DATABASE_READER_URL, DATABASE_WRITER_URL), or make it one: grant service_user to %I;', name);
  elsif renew then
    execute format('alter role %I password %L', name, password);
  end if;
  for setting in select s.key, s.value from jsonb_each_text(settings) s loop
    -- The server writes a setting's name as it knows it: timezone is stored as TimeZone.
    if not exists (select from unnest(current) c where lower(split_part(c, '=', 1)) = lower(setting.key) and substr(c, position('=' in c) + 1) = setting.value) then
      begin
        execute format('alter role %I in database %I set %s = %L', name, current_database(), setting.key, setting.value);
      exception when insufficient_privilege then
        -- Only superusers may store a setting that no extension defines; app.uid is as empty without.
        if setting.key not like 'app.%' then
          raise;
        end if;
      end;
    end if;
  end loop;
end $$;

comment on function service.login_role(text, text, jsonb, boolean) is
  'Makes (or completes) a lane''s login role for this database: member of service_user, with settings {name: value} stored in this database. password: a SCRAM-SHA-256 verifier, used when the role is new, or renew says so. 42710 when a role of this name belongs to somebody else. Needs CREATEROLE.';

revoke all on function service.login_role(text, text, jsonb, boolean) from public;
--! EndIncluded identity/login_role.sql
--! Included identity/role_faults.sql
-- Row security holds for whoever is neither superuser nor exempt nor owner of the table. A login is asked about because a
-- session can step back into it; its other memberships are its administrator's business.
create or replace function service.role_faults(login text) returns setof text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select format('%I %s', r.rolname, case when r.rolsuper then 'is a superuser' else 'bypasses row security' end)
  from pg_roles r where r.rolname in (role_faults.login, 'service_user') and (r.rolsuper or r.rolbypassrls)
  union all
  select format('service_user has the privileges of %I', r.rolname)
  from pg_roles r where r.rolname <> 'service_user' and pg_has_role('service_user', r.oid, 'usage')
  union all
  select format('service_user owns %s, whose policies therefore do not hold for it', c.oid::regclass)
  from pg_class c join pg_roles r on r.oid = c.relowner
  where r.rolname = 'service_user' and c.relkind in ('r', 'p') and not c.relforcerowsecurity;
end;

comment on function service.role_faults(text) is
  'Why row security would not hold for a lane that logs in as this role: attributes of the login or of service_user, roles whose privileges service_user has, tables that it owns. None when all is well.';

revoke all on function service.role_faults(text) from public;
--! EndIncluded identity/role_faults.sql
--! Included identity/roles.sql
create or replace function service.roles() returns text
  language sql stable parallel safe
  return coalesce(current_setting('app.user_roles', true), '');

comment on function service.roles() is
  'The caller''s roles as a comma list; '''' for none and outside a request. In a policy: ''admin'' = any (string_to_array((select service.roles()), '','')).';

revoke all on function service.roles() from public;
grant execute on function service.roles() to service_user;
--! EndIncluded identity/roles.sql
--! Included identity/uid.sql
-- Null (nobody entered) matches no policy: there is no rule that lets "no one" in.
-- nullif: a setting that was once set locally reads '' afterwards, not null.
create or replace function service.uid() returns text
  language sql stable parallel safe
  return nullif(current_setting('app.uid', true), '');

comment on function service.uid() is
  'The caller''s user id; ''anonymous'' without a sign-in; null outside a request. In a policy write (select service.uid()): once a query, not once a row.';

revoke all on function service.uid() from public;
grant execute on function service.uid() to service_user;
--! EndIncluded identity/uid.sql
--! Included provision/refuse_recursion.sql
create or replace function service.refuse_recursion() returns void
  language plpgsql volatile as $$
declare
  stack text;
begin
  get diagnostics stack = pg_context;
  raise exception using
    errcode = 'GW500',
    message = format('Callbacks have written %s levels deep.', pg_trigger_depth()),
    detail = (
      select json_build_object('chain', json_agg(m.name[1] order by m.n desc), 'depth', pg_trigger_depth())
      from regexp_matches(stack, 'service\.(\S+__(?:before|after)_(?:save|delete)"?)\(\)', 'g') with ordinality m (name, n))::text,
    hint = 'CALLBACK_RECURSION';
end $$;

comment on function service.refuse_recursion() is
  'Ends callbacks whose writes call callbacks: GW500 CALLBACK_RECURSION with {chain, depth}, the trigger functions outermost first. Called by the generated triggers below 16 levels.';

revoke all on function service.refuse_recursion() from public;
grant execute on function service.refuse_recursion() to service_user;
--! EndIncluded provision/refuse_recursion.sql
--! Included provision/reject_callback.sql
create or replace function service.reject_callback(collection text, stage text, status integer, message text) returns void
  language plpgsql volatile as $$
begin
  raise exception using
    errcode = 'GW' || status,
    message = message,
    detail = json_build_object('stage', stage, 'path', collection)::text,
    hint = 'CALLBACK_REJECTED';
end $$;

comment on function service.reject_callback(text, text, integer, text) is
  'Refuses the write of a collection''s row at a stage (beforeSave, afterSave, beforeDelete, afterDelete): GW400 or GW403 CALLBACK_REJECTED with {stage, path}. Called by the generated triggers, as whoever writes.';

revoke all on function service.reject_callback(text, text, integer, text) from public;
grant execute on function service.reject_callback(text, text, integer, text) to service_user;
--! EndIncluded provision/reject_callback.sql
--! Included provision/returned_columns.sql
-- Only what differs is written back, so that a value which JSON cannot hold exactly stays as it was sent. Run for every
-- row that has such a callback: one query and no more (the insert of a row takes 16 microseconds with the callback; with a
-- query for each question it took 24 to 36).
create or replace function service.returned_columns(collection text, key text[], names text[], stored jsonb, sent jsonb, returned jsonb) returns jsonb
  language plpgsql stable as $$
declare
  changed jsonb;
  unknown text;
begin
  select jsonb_object_agg(r.key, r.value), string_agg(r.key, ', ' order by r.key) filter (where not sent ? r.key)
    into changed, unknown
    from jsonb_each(returned) r where r.value is distinct from sent -> r.key;
  if changed is null then
    return '{}';
  elsif unknown is not null then
    raise exception using errcode = 'GW500', hint = 'INTERNAL_ERROR', message = format('beforeSave of %s returned keys that are no columns: %s', collection, unknown);
  elsif stored is not null and changed ?| returned_columns.key then
    perform service.keep_key(collection, returned_columns.key, names, stored, changed);
  end if;
  return changed;
end $$;

comment on function service.returned_columns(text, text[], text[], jsonb, jsonb, jsonb) is
  'Of what a beforeSave callback returned, the columns that it changes. key: the key''s columns, names: their properties. GW400 KEY_IMMUTABLE when an update would get another key, GW500 when a name is no column. Called by the generated triggers, as whoever writes.';

revoke all on function service.returned_columns(text, text[], text[], jsonb, jsonb, jsonb) from public;
grant execute on function service.returned_columns(text, text[], text[], jsonb, jsonb, jsonb) to service_user;
--! EndIncluded provision/returned_columns.sql
--! Included provision/callback_body.sql
-- An exception without a class of its own is the author's refusal; every other error goes on as it is.
-- A soft delete is an update that sets the stamp: it runs the delete stages and not the save stages.
create or replace function service.callback_body(collection text, key text[], names text[], hook text, function_name text, soft_delete text) returns text
  language sql immutable
begin atomic
  with part as (
    select case when soft_delete is not null then format('tg_op = ''UPDATE'' and old.%1$I is null and new.%1$I is not null', soft_delete) end as stamped,
      case when hook like 'before%' then 'new' else 'null' end as nothing,
      case hook
        when 'beforeSave' then format('returned := %s(tg_op, stored, sent);', function_name)
        when 'afterSave' then format('perform %s(tg_op, stored, sent);', function_name)
        when 'beforeDelete' then format('allowed := %s(to_jsonb(old));', function_name)
        when 'afterDelete' then format('perform %s(to_jsonb(old));', function_name)
      end as call
  )
  select concat_ws(E'\n', '',
    case when hook like '%Save' then E'declare\n  stored jsonb := case tg_op when ''UPDATE'' then to_jsonb(old) end;\n  sent jsonb := to_jsonb(new);' end,
    case hook when 'beforeSave' then '  returned jsonb;' when 'beforeDelete' then E'declare\n  allowed boolean;' end,
    'begin',
    case
      when hook like '%Save' and p.stamped is not null then format(E'  if %s then\n    return %s;\n  end if;', p.stamped, p.nothing)
      when hook like '%Delete' and p.stamped is not null then format(E'  if tg_op = ''UPDATE'' and not (%s) then\n    return %s;\n  end if;', p.stamped, p.nothing)
    end,
    E'  if pg_trigger_depth() > 16 then\n    perform service.refuse_recursion();\n  end if;',
    format(E'  begin\n    %s\n  exception when raise_exception then\n    perform service.reject_callback(%L, %L, 400, sqlerrm);\n  end;', p.call, collection, hook),
    case hook
      when 'beforeSave' then format(E'  if returned is null then\n    return new;\n  end if;\n  return jsonb_populate_record(new, service.returned_columns(%L, %L, %L, stored, sent, returned));', collection, key, names)
      when 'beforeDelete' then format(E'  if allowed is false then\n    perform service.reject_callback(%L, %L, 403, ''The row may not be deleted.'');\n  end if;\n  return %s;', collection, hook,
        case when p.stamped is null then 'old' else 'case tg_op when ''UPDATE'' then new else old end' end)
      else '  return null;'
    end,
    'end ')
  from part p;
end;

comment on function service.callback_body(text, text[], text[], text, text, text) is
  'The PL/pgSQL of the trigger function that calls one callback of a collection.';

revoke all on function service.callback_body(text, text[], text[], text, text, text) from public;
--! EndIncluded provision/callback_body.sql
--! Included provision/hooks.sql
create or replace function service.hooks()
  returns table (hook text, suffix text, trigger_name text, events integer, arguments text, result text)
  language sql immutable parallel safe
begin atomic
  -- events as in pg_trigger.tgtype: row 1, before 2, insert 4, delete 8, update 16.
  values
    ('beforeSave', '__before_save', '_100_before_save', 1 + 2 + 4 + 16, 'op text, old jsonb, new jsonb', 'jsonb'),
    ('afterSave', '__after_save', '_900_after_save', 1 + 4 + 16, 'op text, old jsonb, new jsonb', 'void'),
    ('beforeDelete', '__before_delete', '_100_before_delete', 1 + 2 + 8, 'old jsonb', 'boolean'),
    ('afterDelete', '__after_delete', '_900_after_delete', 1 + 8, 'old jsonb', 'void'),
    ('afterRead', null, null, null, 'row json', 'json');
end;

comment on function service.hooks() is
  'The callbacks a collection may name, the signature each must have, and the trigger that calls it (none for afterRead: the statement that reads does).';

revoke all on function service.hooks() from public;
--! EndIncluded provision/hooks.sql
--! Included provision/wanted_tables.sql
-- A junction that is a collection as well is the collection's. A name that a view or a foreign table has is not ours.
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
  where r.oid is null or r.relkind in ('r', 'p');
end;

comment on function service.wanted_tables() is
  'The tables that collection files ask for: those of the collections, and the junctions of many-to-many relations (collection is null). oid is null while there is none.';

revoke all on function service.wanted_tables() from public;
--! EndIncluded provision/wanted_tables.sql
--! Included provision/callbacks.sql
create or replace function service.callbacks()
  returns table (schema_name text, table_name text, relation oid, collection text, key text[], names text[], soft_delete text, hook text, suffix text, trigger_name text, events integer,
    function_schema text, function_name text, arguments text, result text, oid oid, fits boolean)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with named as (
    select t.schema_name, t.table_name, t.oid, t.collection, t.key, s.key as names, t.soft_delete, h.*,
      case when c.value ~ '^("([^"]|"")+"|[^\s".();]+)(\.("([^"]|"")+"|[^\s".();]+))?$' then parse_ident(c.value) else array[c.value] end as parts
    from service.wanted_tables() t
    join service.collections s on s.slug = t.collection
    cross join jsonb_each_text(s.callbacks) c
    join service.hooks() h on h.hook = c.key
  )
  select n.schema_name, n.table_name, n.oid, n.collection, n.key, n.names, n.soft_delete, n.hook, n.suffix, n.trigger_name, n.events,
    f.schema_name, f.function_name, n.arguments, n.result, p.oid, p.oid is not null and format_type(p.prorettype, null) = n.result and not p.proretset
  from named n
  cross join lateral (select case cardinality(n.parts) when 2 then n.parts[1] else 'public' end as schema_name, n.parts[cardinality(n.parts)] as function_name) f
  left join pg_namespace s on s.nspname = f.schema_name
  left join pg_proc p on p.pronamespace = s.oid and p.proname = f.function_name and p.prokind = 'f'
    and oidvectortypes(p.proargtypes) = case n.hook when 'afterRead' then 'json' when 'beforeSave' then 'text, jsonb, jsonb' when 'afterSave' then 'text, jsonb, jsonb' else 'jsonb' end;
end;

comment on function service.callbacks() is
  'The callbacks of the collections and the functions behind them. A name without a schema is in public. key: the key''s columns, names: their properties. oid is null when there is no function with these arguments; fits says that it returns what it should.';

revoke all on function service.callbacks() from public;
--! EndIncluded provision/callbacks.sql
--! Included provision/column_clause.sql
create or replace function service.column_clause(name text, type text, default_value text, identity boolean, not_null boolean) returns text
  language sql immutable parallel safe
  return concat(quote_ident(name), ' ', type,
    case when identity then ' generated by default as identity' when default_value is not null then ' default (' || default_value || ')' end,
    case when not_null then ' not null' end);

comment on function service.column_clause(text, text, text, boolean, boolean) is 'A column as CREATE TABLE and ADD COLUMN write it.';

revoke all on function service.column_clause(text, text, text, boolean, boolean) from public;
--! EndIncluded provision/column_clause.sql
--! Included rules/field_column.sql
create or replace function service.field_column(collection text, field text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce(
    (select p.column_name from service.properties p where p.collection = field_column.collection and p.name = field_column.field),
    (select r.local_columns[1] from service.relations r
      where r.collection = field_column.collection and r.name = field_column.field and r.kind = 'belongsTo' and cardinality(r.local_columns) = 1),
    (select p.column_name from service.properties p where p.collection = field_column.collection and p.column_name = field_column.field));
end;

comment on function service.field_column(text, text) is 'The column that a rule or an index means: a property''s, a belongsTo relation''s foreign key, or by its own name. Null when there is none.';

revoke all on function service.field_column(text, text) from public;
--! EndIncluded rules/field_column.sql
--! Included provision/index_comparison.sql
-- Values are written as literals without a type, so that they take the column's.
create or replace function service.index_comparison(collection text, comparison jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select format('%I %s%s', service.field_column(index_comparison.collection, comparison ->> 'prop'), lower(comparison ->> 'op'),
    case lower(comparison ->> 'op')
      when 'is null' then ''
      when 'is not null' then ''
      when 'in' then ' (' || (select string_agg(quote_literal(v), ', ' order by n) from jsonb_array_elements_text(comparison -> 'value') with ordinality e (v, n)) || ')'
      else ' ' || quote_literal(comparison ->> 'value')
    end)
  where lower(comparison ->> 'op') in ('=', '!=', '<', '<=', '>', '>=', 'in', 'is null', 'is not null');
end;

comment on function service.index_comparison(text, jsonb) is 'One comparison {prop, op, value} of a partial index as SQL.';

revoke all on function service.index_comparison(text, jsonb) from public;
--! EndIncluded provision/index_comparison.sql
--! Included provision/short_hash.sql
create or replace function service.short_hash(meaning text) returns text
  language sql immutable parallel safe
  return left(encode(sha256(convert_to(meaning, 'UTF8')), 'hex'), 7);

comment on function service.short_hash(text) is 'Seven hex digits that stand for a meaning in a name.';

revoke all on function service.short_hash(text) from public;
--! EndIncluded provision/short_hash.sql
--! Included provision/short_name.sql
-- Postgres would cut a long name silently, and with it the suffix that tells what it is; two cut names may be one.
create or replace function service.short_name(stem text, suffix text) returns text
  language sql immutable parallel safe
begin atomic
  select case when octet_length(stem || suffix) <= 63 then stem || suffix else (
    select left(stem, n) || '_' || service.short_hash(stem) || suffix
    from generate_series(length(stem), 0, -1) n
    where octet_length(left(stem, n)) <= 63 - 8 - octet_length(suffix)
    limit 1) end;
end;

comment on function service.short_name(text, text) is
  'A name of at most 63 bytes: the stem and the suffix; a stem that is too long is cut (between characters) and gets seven hex digits that stand for the whole of it. The suffix is never cut.';

revoke all on function service.short_name(text, text) from public;
--! EndIncluded provision/short_name.sql
--! Included provision/declared_index.sql
-- The name holds a hash of all that the index is, so a changed one is another one.
create or replace function service.declared_index(collection text, definition jsonb)
  returns table (name text, is_unique boolean, columns text[], body text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with key as (
    select service.field_column(declared_index.collection, coalesce(k.key ->> 'prop', k.key #>> '{}')) as name, k.n,
      coalesce(' ' || case k.key ->> 'direction' when 'asc' then 'asc' when 'desc' then 'desc' end, '')
        || coalesce(' nulls ' || case k.key ->> 'nulls' when 'first' then 'first' when 'last' then 'last' end, '') as direction
    from jsonb_array_elements(declared_index.definition -> 'on') with ordinality k (key, n)
  ), part as (
    select array_agg(k.name order by k.n) as columns, bool_or(k.name is null) as unknown,
      string_agg(quote_ident(k.name) || k.direction, ', ' order by k.n) as keys,
      coalesce((declared_index.definition ->> 'unique')::boolean, false) as is_unique,
      case declared_index.definition ->> 'using' when 'gin' then 'gin' when 'brin' then 'brin' else 'btree' end as method,
      (select string_agg(quote_ident(service.field_column(declared_index.collection, i.name)), ', ' order by i.n)
        from jsonb_array_elements_text(declared_index.definition -> 'include') with ordinality i (name, n)) as included,
      (select string_agg(service.index_comparison(declared_index.collection, c.comparison), ' and ' order by c.n)
        from jsonb_array_elements(coalesce(declared_index.definition #> '{where,and}', jsonb_build_array(declared_index.definition -> 'where'))) with ordinality c (comparison, n)
        where jsonb_typeof(c.comparison) = 'object') as condition
    from key k
  ), whole as (
    select p.*, format('using %s (%s)%s%s', p.method, p.keys, ' include (' || p.included || ')', ' where ' || p.condition) as body from part p where not p.unknown
  )
  select service.short_name(c.table_name || '_' || array_to_string(w.columns, '_'),
      case when w.is_unique then '_ux_' else '_ix_' end || service.short_hash(concat_ws(' ', c.schema_name, c.table_name, w.body))),
    w.is_unique, w.columns, w.body
  from whole w
  join service.collections c on c.slug = declared_index.collection;
end;

comment on function service.declared_index(text, jsonb) is
  'One of a collection file''s indexes {on, using, where, unique, include} as what stands behind "on <table>", with its name. No row when it names an unknown property.';

revoke all on function service.declared_index(text, jsonb) from public;
--! EndIncluded provision/declared_index.sql
--! Included provision/has_rows.sql
-- What cannot be looked into counts as populated: nothing is done to it that only an empty table allows.
create or replace function service.has_rows(relation oid) returns boolean
  language plpgsql stable as $$
declare
  found boolean := true;
begin
  if has_table_privilege(relation, 'select') and not (select c.relforcerowsecurity from pg_catalog.pg_class c where c.oid = relation) then
    execute format('select exists (select from %s)', relation::regclass) into found;
  end if;
  return found;
end $$;

comment on function service.has_rows(oid) is 'Whether a table has any row; true when that cannot be seen.';

revoke all on function service.has_rows(oid) from public;
--! EndIncluded provision/has_rows.sql
--! Included provision/keep_key.sql
create or replace function service.keep_key(collection text, key text[], names text[], stored jsonb, changed jsonb) returns void
  language plpgsql stable as $$
declare
  moved json := (
    select json_agg(json_build_object('field', k.name, 'code', 'key_immutable', 'message', 'The key of a row cannot be changed.') order by k.n)
    from unnest(keep_key.key, names) with ordinality k (column_name, name, n)
    where changed ? k.column_name and changed ->> k.column_name is distinct from stored ->> k.column_name);
begin
  if moved is not null then
    raise exception using errcode = 'GW400', hint = 'KEY_IMMUTABLE', message = 'The key of a row cannot be changed.',
      detail = json_build_object('collection', collection, 'violations', moved)::text;
  end if;
end $$;

comment on function service.keep_key(text, text[], text[], jsonb, jsonb) is
  'Refuses an update whose beforeSave callback returned another key: GW400 KEY_IMMUTABLE with {collection, violations}. Called by the generated triggers, as whoever writes.';

revoke all on function service.keep_key(text, text[], text[], jsonb, jsonb) from public;
grant execute on function service.keep_key(text, text[], text[], jsonb, jsonb) to service_user;
--! EndIncluded provision/keep_key.sql
--! Included provision/vector_schema.sql
create or replace function service.vector_schema() returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce(
    (select n.nspname::text from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'),
    (select 'public' from pg_available_extensions e where e.name = 'vector'));
end;

comment on function service.vector_schema() is 'The schema that holds, or will hold, the types of pgvector; null when this server does not have the extension.';

revoke all on function service.vector_schema() from public;
--! EndIncluded provision/vector_schema.sql
--! Included provision/wanted_columns.sql
-- A junction's own columns have the type of what they refer to; a serial there would count by itself.
create or replace function service.wanted_columns()
  returns table (schema_name text, table_name text, relation oid, attnum smallint, name text, "position" integer, type text, default_value text,
    identity boolean, is_unique boolean, not_null boolean, touch boolean, in_key boolean, enum_type jsonb, vector_index jsonb)
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
    coalesce((f.spec ->> 'touch')::boolean, false), f.name = any (t.key), nullif(f.spec -> 'enumType', 'null'), nullif(f.spec -> 'index', 'null')
  from first f
  join service.wanted_tables() t on t.schema_name = f.schema_name and t.table_name = f.table_name
  cross join (select service.vector_schema() as schema_name) v
  left join pg_attribute a on a.attrelid = t.oid and a.attname = f.name and a.attnum > 0 and not a.attisdropped;
end;

comment on function service.wanted_columns() is
  'The columns that collection files ask for. attnum is null while the table has none of that name. type is null for a vector where the server has no pgvector.';

revoke all on function service.wanted_columns() from public;
--! EndIncluded provision/wanted_columns.sql
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
  ), wanted_trigger as (
    select c.schema_name, c.table_name, c.relation, c.trigger_name as name, c.events + case when c.soft_delete is not null and c.hook like '%Delete' then 16 else 0 end as events,
      c.function_for, null::text as argument
    from wanted_function c
    union all
    select c.schema_name, c.table_name, c.relation, service.short_name('_300_stamp_' || c.name, '_touch'), 1 + 2 + 16, 'touch', c.name
    from service.wanted_columns() c
    where c.touch
  ), stored_trigger as (
    select g.oid, g.tgrelid, g.tgname::text as name, g.tgtype, g.tgenabled, p.proname::text as function_for,
      case g.tgnargs when 1 then convert_from(substring(g.tgargs from 1 for octet_length(g.tgargs) - 1), 'UTF8') end as argument
    from pg_trigger g
    join pg_proc p on p.oid = g.tgfoid and p.pronamespace = (select n.oid from pg_namespace n where n.nspname = 'service')
    where not g.tgisinternal
  ), trigger as (
    select w.*, format('%I.%I', w.schema_name, w.table_name) as on_table, format('%I.%I.%I', w.schema_name, w.table_name, w.name) as target,
      s.oid, s.tgenabled, s.tgtype = w.events and s.function_for = w.function_for and s.argument is not distinct from w.argument as same
    from wanted_trigger w
    left join stored_trigger s on s.tgrelid = w.relation and s.name = w.name
  )
  select 110, 'function', f.name,
    format('create or replace function %s() returns trigger language plpgsql as %L; comment on function %1$s() is %3$L; revoke all on function %1$s() from public',
      f.name, f.body, format('Trigger: calls %s, the %s callback of %s. Generated.', f.called, f.hook, f.collection)), false, 'safe', null::text, null::text
  from wanted_function f
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
    format('create or replace trigger %I %s %s on %s for each row execute function service.%I(%s)', t.name,
      case when t.events & 2 > 0 then 'before' else 'after' end,
      concat_ws(' or ', case when t.events & 4 > 0 then 'insert' end, case when t.events & 16 > 0 then 'update' end, case when t.events & 8 > 0 then 'delete' end),
      t.on_table, t.function_for, quote_literal(t.argument)), false, 'safe', null, null
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
  where (s.name in (select h.trigger_name from service.hooks() h) or s.function_for = 'touch')
    and not exists (select from wanted_trigger w where w.relation = t.oid and w.name = s.name)
  union all
  select 120, 'trigger', format('%I.%I.%I', t.schema_name, t.table_name, g.tgname), null, false, 'report', 'Its name sorts between the generated triggers'', so it runs between them.', null
  from service.wanted_tables() t
  join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
  where g.tgname collate "C" > '_100' and g.tgname collate "C" < '_901' and not exists (select from stored_trigger s where s.oid = g.oid);
end;

comment on function service.plan_callbacks() is 'The part of service.provision_plan() about callbacks and the triggers that call them.';

revoke all on function service.plan_callbacks() from public;
--! EndIncluded provision/plan_callbacks.sql
--! Included provision/same_default.sql
-- Postgres stores a default with casts and parentheses of its own. Constants are compared as values of the column's
-- type; of two other expressions that still differ without casts and parentheses nobody can tell: null.
create or replace function service.same_default(stored text, wanted text, type text) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  constant constant text := '^(''(?:[^'']|'''')*''|-?[0-9.]+|true|false|null)$';
  cast_pattern constant text := '::[\w". ]+(\([\d, ]+\))?(\[\])?';
  left_side text := regexp_replace(btrim(stored, ' ()'), cast_pattern || '$', '');
  right_side text := regexp_replace(btrim(wanted, ' ()'), cast_pattern || '$', '');
  same boolean;
begin
  if stored = wanted or left_side = right_side then
    return true;
  elsif left_side ~* constant and right_side ~* constant then
    left_side := coalesce(quote_literal(replace(substring(left_side from '^''(.*)''$'), '''''', '''')), quote_literal(left_side));
    right_side := coalesce(quote_literal(replace(substring(right_side from '^''(.*)''$'), '''''', '''')), quote_literal(right_side));
    execute format('select (%1$s::%3$s)::text = (%2$s::%3$s)::text', left_side, right_side, type) into same;
    return same;
  end if;
  return case when lower(regexp_replace(regexp_replace(stored, cast_pattern, '', 'g'), '[\s()]', '', 'g'))
    = lower(regexp_replace(regexp_replace(wanted, cast_pattern, '', 'g'), '[\s()]', '', 'g')) then true end;
exception when data_exception then
  return false;
end $$;

comment on function service.same_default(text, text, text) is
  'Whether a column''s stored default means the wanted expression; null when that cannot be told.';

revoke all on function service.same_default(text, text, text) from public;
--! EndIncluded provision/same_default.sql
--! Included provision/same_type.sql
create or replace function service.same_type(wanted text, type oid, modifier integer) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
  return case
    when wanted = format_type(type, modifier) then true
    when wanted in ('smallserial', 'serial', 'bigserial') then format_type(type, null) = case wanted when 'smallserial' then 'smallint' when 'serial' then 'integer' else 'bigint' end
    else to_regtype(wanted) = type
      and coalesce(regexp_replace(regexp_replace(substring(wanted from '\(([^()]*)\)'), '\s', '', 'g'), '^(\d+)$', case type when 'numeric'::regtype then '\1,0' else '\1' end),
          case when type = 'bpchar'::regtype and wanted <> 'bpchar' then '1' end, '')
        = coalesce(substring(format_type(type, modifier) from '\(([^()]*)\)'), '')
  end;

comment on function service.same_type(text, oid, integer) is 'Whether a type, as DDL writes it, is that of a column (atttypid, atttypmod).';

revoke all on function service.same_type(text, oid, integer) from public;
--! EndIncluded provision/same_type.sql
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
  where coalesce(r.relkind, 'r') in ('r', 'p');
end;

comment on function service.wanted_foreign_keys() is
  'The foreign keys that the belongsTo relations and the junctions of collection files ask for. Nothing refers to a view.';

revoke all on function service.wanted_foreign_keys() from public;
--! EndIncluded provision/wanted_foreign_keys.sql
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
--! Included provision/plan_grants.sql
create or replace function service.plan_grants() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with needed as (
    select rtrim(g, ';') as statement from service.missing_grants() g
    union
    select format('grant %s on %I.%I to service_user', case when t.read_only then 'select' else 'select, insert, update, delete' end, t.schema_name, t.table_name)
    from service.wanted_tables() t where t.oid is null
    union
    select format('grant usage on schema %I to service_user', t.schema_name)
    from service.wanted_tables() t
    left join pg_namespace n on n.nspname = t.schema_name
    where t.oid is null and (n.oid is null or not has_schema_privilege('service_user', n.oid, 'usage'))
    union
    select format('grant usage on schema %I to service_user', c.function_schema)
    from service.callbacks() c join pg_namespace n on n.nspname = c.function_schema
    where not has_schema_privilege('service_user', n.oid, 'usage')
    union
    select format('grant execute on function %s to service_user', c.oid::regprocedure)
    from service.callbacks() c
    where case when c.oid is not null then not has_function_privilege('service_user', c.oid, 'execute') else false end
  )
  select 150, 'grant', 'service_user', n.statement, false, 'safe', null::text, null::text
  from needed n;
end;

comment on function service.plan_grants() is 'The part of service.provision_plan() about what service_user may do.';

revoke all on function service.plan_grants() from public;
--! EndIncluded provision/plan_grants.sql
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
  from vector v;
end;

comment on function service.wanted_indexes() is
  'The indexes that collection files ask for, by name: unique properties, the declared ones, those of foreign keys and of vectors. What another index does already is left out.';

revoke all on function service.wanted_indexes() from public;
--! EndIncluded provision/wanted_indexes.sql
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
--! Included provision/plan_row_security.sql
create or replace function service.plan_row_security() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select 130, 'row security', format('%I.%I', t.schema_name, t.table_name), format('alter table %I.%I enable row level security', t.schema_name, t.table_name), false, 'safe', null::text, null::text
  from service.wanted_tables() t
  left join pg_class r on r.oid = t.oid
  where not coalesce(r.relrowsecurity, false);
end;

comment on function service.plan_row_security() is 'The part of service.provision_plan() that switches row security on.';

revoke all on function service.plan_row_security() from public;
--! EndIncluded provision/plan_row_security.sql
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
    case when r.relkind in ('v', 'm') and not c.read_only then 'It is a view; a collection over it is readOnly.'
      when r.relkind = 'v' then 'It is a view that runs as its owner, past row security.'
      else 'It is no ordinary table.' end,
    case when r.relkind = 'v' and c.read_only then format('alter view %I.%I set (security_invoker = on);', c.schema_name, c.table_name) end
  from service.collections c
  join pg_namespace n on n.nspname = c.schema_name
  join pg_class r on r.relnamespace = n.oid and r.relname = c.table_name
  where c.source = 'file' and r.relkind not in ('r', 'p')
    and not (c.read_only and r.relkind = 'v'
      and coalesce(r.reloptions && array['security_invoker=true', 'security_invoker=on', 'security_invoker=1', 'security_invoker=yes'], false));
end;

comment on function service.plan_tables() is 'The part of service.provision_plan() about tables and their keys.';

revoke all on function service.plan_tables() from public;
--! EndIncluded provision/plan_tables.sql
--! Included provision/provision.sql
-- All or nothing. When a step fails the others of its kind are still tried, so that all bad rules are told at once;
-- what follows is not, because it fails of the first.
-- The one exception is a constraint that what is stored does not fit: it is withheld.
-- It plans again until nothing is left, because some steps are known only after others (a serial column's sequence).
create or replace function service.provision() returns setof service.provision_step
  language plpgsql volatile set search_path = public, pg_temp as $$
declare
  steps service.provision_step[];
  step service.provision_step;
  tried text[] := '{}';
  failures jsonb := '[]';
  failed_kind text;
  ran boolean;
  ruled boolean := false;
begin
  perform pg_advisory_xact_lock(7261946173);
  loop
    ran := false;
    steps := array(select p from service.provision_plan() p where p.statement is not null);
    foreach step in array steps loop
      exit when step.concurrent or step.kind <> failed_kind;
      continue when step.statement = any (tried);
      tried := tried || step.statement;
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
end $$;

comment on function service.provision() is
  'Runs the statements of service.provision_plan() up to the first that has to run by itself, in one transaction, and returns what it ran; after the last of those nothing. Whoever calls it runs that one and calls again. A constraint that stored rows or types do not fit is returned as withheld. Any other failure: GW400 SCHEMA_CHANGE_FAILED with details.failures, and nothing is changed. Unqualified names in rules and defaults mean schema public. Needs the owner; callers at the same time wait for each other.';

revoke all on function service.provision() from public;
--! EndIncluded provision/provision.sql
--! Included rules/policy_state.sql
create or replace function service.policy_state(policy oid) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select left(encode(sha256(convert_to(concat_ws('|', p.polcmd, p.polpermissive, p.polroles::text, pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)), 'UTF8')), 'hex'), 16)
  from pg_policy p where p.oid = policy_state.policy;
end;

comment on function service.policy_state(oid) is 'A hash of what a policy says now, as this version of PostgreSQL writes it.';

revoke all on function service.policy_state(oid) from public;
--! EndIncluded rules/policy_state.sql
--! Included rules/seal_policy.sql
-- PostgreSQL stores a policy's parsed form, which cannot be compared with the text it was made from. So its comment
-- keeps two hashes: of that text, and of the stored form, by which a change made by hand is seen.
create or replace function service.seal_policy(relation regclass, name text, meaning text, origin text) returns void
  language plpgsql volatile as $$
begin
  execute format('comment on policy %I on %s is %L', name, relation, format('Generated from %s. meaning:%s state:%s version:%s', origin, meaning,
    service.policy_state((select p.oid from pg_catalog.pg_policy p where p.polrelid = relation and p.polname = name)),
    current_setting('server_version_num')::integer / 10000));
end $$;

comment on function service.seal_policy(regclass, text, text, text) is
  'Marks a policy that was just made as generated, with hashes of what it was made from and of what it says.';

revoke all on function service.seal_policy(regclass, text, text, text) from public;
--! EndIncluded rules/seal_policy.sql
--! Included rules/admin_rules.sql
create or replace function service.admin_rules() returns table (suffix text, rule jsonb)
  language sql immutable parallel safe
begin atomic
  values
    ('_default_admin_read', '{"operation": "select", "roles": ["admin"]}'::jsonb),
    ('_default_admin_write', '{"operations": ["insert", "update", "delete"], "roles": ["admin"]}'::jsonb);
end;

comment on function service.admin_rules() is 'The rules that every table of a collection file gets unless disableDefaultPolicies is set, with the ending of their names.';

revoke all on function service.admin_rules() from public;
--! EndIncluded rules/admin_rules.sql
--! Included rules/rule_operations.sql
create or replace function service.rule_operations(rule jsonb) returns table (operation text, several boolean)
  language sql immutable parallel safe
begin atomic
  with named as (
    select distinct o
    from jsonb_array_elements_text(case jsonb_typeof(rule -> 'operations') when 'array' then rule -> 'operations' else jsonb_build_array(coalesce(rule ->> 'operation', 'all')) end) o
    where o in ('select', 'insert', 'update', 'delete', 'all')
  )
  select n.o, (select count(*) > 1 from named) from named n;
end;

comment on function service.rule_operations(jsonb) is 'The operations that a security rule is for; all when it names none.';

revoke all on function service.rule_operations(jsonb) from public;
--! EndIncluded rules/rule_operations.sql
--! Included rules/rule_sql.sql
-- {field} becomes the column of the row that the rule judges; what stands in quotes is left alone. A bare call of an
-- identity function would run once a row, (select …) runs once a query.
create or replace function service.rule_sql(collection text, alias text, sql text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  identity constant text := '\m(?:auth|service)\.(uid|roles|jwt|is_anonymous)\(\s*\)';
  piece record;
  field text;
  part text;
  result text := '';
begin
  for piece in
    select m.parts[1] as quoted, m.parts[2] as plain from regexp_matches(sql, '(''(?:[^'']|'''')*''|"(?:[^"]|"")*")|([^''"]+|[''"])', 'g') with ordinality m (parts, n) order by m.n
  loop
    part := piece.plain;
    if part is null then
      result := result || piece.quoted;
      continue;
    end if;
    part := regexp_replace(part, '\(\s*select\s+(' || identity || ')\s*\)', '\1', 'gi');
    part := regexp_replace(part, identity, '(select service.\1())', 'gi');
    for field in select distinct f[1] from regexp_matches(part, '\{\s*([^{}\s]+)\s*\}', 'g') f loop
      part := regexp_replace(part, '\{\s*' || regexp_replace(field, '([^\w])', '\\\1', 'g') || '\s*\}',
        replace(coalesce(alias || '.' || quote_ident(service.field_column(collection, field)), '{' || field || '}'), '\', '\\'), 'g');
    end loop;
    result := result || part;
  end loop;
  return result;
end $$;

comment on function service.rule_sql(text, text, text) is
  'The SQL of a rule as a policy needs it: {field} as a column of alias (SQL text), auth.uid(), auth.roles(), auth.jwt() as (select service.…()). An unknown {field} stays, so that the policy is refused.';

revoke all on function service.rule_sql(text, text, text) from public;
--! EndIncluded rules/rule_sql.sql
--! Included rules/rule_predicate.sql
-- What compiles to nothing is false: a form this version does not know grants nothing, and as a restriction lets nobody pass.
create or replace function service.rule_predicate(collection text, alias text, rule jsonb, clause text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with form as (
    select case
      when rule ? 'condition' then null
      when rule ? 'ownerField' then '(' || alias || '.' || quote_ident(service.field_column(rule_predicate.collection, rule ->> 'ownerField')) || ')::text = (select service.uid())'
      when rule ->> 'access' = 'public' then 'true'
      when rule ? 'using' or rule ? 'withCheck' then service.rule_sql(rule_predicate.collection, alias,
        case clause when 'check' then coalesce(rule ->> 'withCheck', rule ->> 'using') else rule ->> 'using' end)
      when not rule ? 'access' and rule ? 'roles' then 'true'
    end as predicate,
    case when rule ? 'roles' then
      format('(select string_to_array(service.roles(), '','') && %L::text[])', array(select jsonb_array_elements_text(rule -> 'roles'))) end as role_test
  )
  select case
    when f.predicate is null then 'false'
    when f.role_test is null then f.predicate
    when f.predicate = 'true' then f.role_test
    else f.role_test || ' and (' || f.predicate || ')'
  end
  from form f;
end;

comment on function service.rule_predicate(text, text, jsonb, text) is
  'A security rule as a boolean SQL expression. alias: SQL text of what names the judged row; clause: using or check.';

revoke all on function service.rule_predicate(text, text, jsonb, text) from public;
--! EndIncluded rules/rule_predicate.sql
--! Included rules/collection_policies.sql
create or replace function service.collection_policies()
  returns table (schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with rule as (
    select t.*, t.table_name as stem, a.suffix, a.rule, 'the default for ' || c.slug as origin
    from service.wanted_tables() t
    join service.collections c on c.slug = t.collection
    cross join service.admin_rules() a
    where not coalesce((c.definition ->> 'disableDefaultPolicies')::boolean, false)
    union all
    select t.*, coalesce(r.rule ->> 'name', t.table_name), case when r.rule ? 'name' then '' end, r.rule, format('%s.securityRules[%s]', c.slug, r.n - 1)
    from service.wanted_tables() t
    join service.collections c on c.slug = t.collection
    cross join jsonb_array_elements(case jsonb_typeof(c.definition -> 'securityRules') when 'array' then c.definition -> 'securityRules' else '[]' end) with ordinality r (rule, n)
  )
  select r.schema_name, r.table_name, r.oid, r.stem, r.suffix || case when o.several then '_' || o.operation else '' end,
    r.rule ->> 'mode' is distinct from 'restrictive', o.operation,
    array(select jsonb_array_elements_text(case jsonb_typeof(r.rule -> 'pgRoles') when 'array' then r.rule -> 'pgRoles' else '["public"]' end)),
    case when o.operation <> 'insert' then service.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'using') end,
    case when o.operation in ('insert', 'update', 'all') then service.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'check') end,
    r.origin
  from rule r
  cross join service.rule_operations(r.rule) o;
end;

comment on function service.collection_policies() is
  'The policies that the security rules of collection files ask for, and the default ones. suffix is null where the name is made from the meaning.';

revoke all on function service.collection_policies() from public;
--! EndIncluded rules/collection_policies.sql
--! Included rules/junction_policies.sql
-- A link is seen by who sees both rows, and written by who may update the row of the side that declares it. The
-- subqueries run under the policies of the tables they read, so seeing needs no repetition; updating does, and SQL of
-- an author cannot be moved to another table: where it decides, links stay with admin.
create or replace function service.junction_policies()
  returns table (schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with side as (
    select t.schema_name, t.table_name, t.oid, r.collection, r.name, s.definition,
      format('from %I.%I _source where %s', s.schema_name, s.table_name,
        (select string_agg(format('_source.%I = %I.%I', l.local, t.table_name, l.link), ' and ' order by n) from unnest(r.local_columns, r.junction_source) with ordinality l (local, link, n))) as source,
      format('from %I.%I _target where %s', d.schema_name, d.table_name,
        (select string_agg(format('_target.%I = %I.%I', l.local, t.table_name, l.link), ' and ' order by n) from unnest(r.target_columns, r.junction_target) with ordinality l (local, link, n))) as target
    from service.wanted_tables() t
    join service.relations r on r.kind = 'manyToMany' and r.junction_schema = t.schema_name and r.junction_table = t.table_name
    join service.collections s on s.slug = r.collection and s.source = 'file'
    join service.collections d on d.slug = r.target
    where t.collection is null
  ), rule as (
    select s.schema_name, s.table_name, s.collection, s.name, r.rule ->> 'mode' is distinct from 'restrictive' as permissive, r.rule ? 'using' or r.rule ? 'withCheck' as raw,
      service.rule_predicate(s.collection, '_source', r.rule, 'using') as predicate
    from side s
    cross join jsonb_array_elements(case jsonb_typeof(s.definition -> 'securityRules') when 'array' then s.definition -> 'securityRules' else '[]' end) r (rule)
    where exists (select from service.rule_operations(r.rule) o where o.operation in ('update', 'all'))
  ), writing as (
    select s.*,
      (select string_agg(distinct '(' || r.predicate || ')', ' or ') from rule r
        where r.schema_name = s.schema_name and r.table_name = s.table_name and r.collection = s.collection and r.name = s.name and r.permissive and not r.raw) as widened,
      (select string_agg(distinct '(' || r.predicate || ')', ' and ') from rule r
        where r.schema_name = s.schema_name and r.table_name = s.table_name and r.collection = s.collection and r.name = s.name and not r.permissive and not r.raw) as narrowed,
      exists (select from rule r
        where r.schema_name = s.schema_name and r.table_name = s.table_name and r.collection = s.collection and r.name = s.name and not r.permissive and r.raw) as locked
    from side s
  ), first as (
    select distinct on (s.schema_name, s.table_name) s.*, bool_or(coalesce((s.definition ->> 'disableDefaultPolicies')::boolean, false)) over (partition by s.schema_name, s.table_name) as closed
    from side s
    order by s.schema_name, s.table_name, s.collection, s.name
  ), policy as (
    select f.schema_name, f.table_name, f.oid, a.suffix || case when o.several then '_' || o.operation else '' end as suffix, true as permissive, o.operation,
      service.rule_predicate(f.collection, '', a.rule, 'using') as predicate, 'the default for a junction' as origin
    from first f
    cross join service.admin_rules() a
    cross join service.rule_operations(a.rule) o
    where not f.closed
    union all
    select f.schema_name, f.table_name, f.oid, '_link_read', true, 'select', format('exists (select %s) and exists (select %s)', f.source, f.target), format('%s.%s', f.collection, f.name)
    from first f
    union all
    select w.schema_name, w.table_name, w.oid, null, true, o.operation, format('exists (select %s and (%s)) and exists (select %s)', w.source, w.widened, w.target), format('%s.%s', w.collection, w.name)
    from writing w
    cross join unnest(array['insert', 'update', 'delete']) o (operation)
    where w.widened is not null and not w.locked
    union all
    select w.schema_name, w.table_name, w.oid, null, false, o.operation, format('exists (select %s and %s)', w.source, w.narrowed), format('%s.%s', w.collection, w.name)
    from writing w
    cross join unnest(array['insert', 'update', 'delete']) o (operation)
    where w.narrowed is not null
  )
  select p.schema_name, p.table_name, p.oid, p.table_name, p.suffix, p.permissive, p.operation, array['public'],
    case when p.operation <> 'insert' then p.predicate end, case when p.operation in ('insert', 'update') then p.predicate end, p.origin
  from policy p;
end;

comment on function service.junction_policies() is 'The policies of junctions that are no collections of their own; columns as in service.collection_policies().';

revoke all on function service.junction_policies() from public;
--! EndIncluded rules/junction_policies.sql
--! Included rules/wanted_policies.sql
-- Two rules of one name: the second gets its hash as well. Equal rules are one policy.
create or replace function service.wanted_policies()
  returns table (schema_name text, table_name text, relation oid, name text, clause text, meaning text, origin text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with policy as (
    select * from service.collection_policies()
    union all
    select * from service.junction_policies()
  ), written as (
    select p.*, concat('as ', case when p.permissive then 'permissive' else 'restrictive' end, ' for ', p.operation,
        ' to ', (select string_agg(case r when 'public' then r else quote_ident(r) end, ', ') from unnest(p.roles) r),
        ' using (' || p.using_clause || ')', ' with check (' || p.check_clause || ')') as clause
    from policy p
  ), named as (
    select w.*, service.short_hash(w.clause) as hash, service.short_name(w.stem, coalesce(w.suffix, '_' || w.operation || '_' || service.short_hash(w.clause))) as name
    from written w
  ), numbered as (
    select n.*, dense_rank() over (partition by n.schema_name, n.table_name, n.name order by n.clause) as rank,
      row_number() over (partition by n.schema_name, n.table_name, n.name, n.clause order by n.origin) as repeated
    from named n
  )
  select n.schema_name, n.table_name, n.relation, case n.rank when 1 then n.name else service.short_name(n.name, '_' || n.hash) end, n.clause,
    left(encode(sha256(convert_to(n.clause, 'UTF8')), 'hex'), 16), n.origin
  from numbered n
  where n.repeated = 1;
end;

comment on function service.wanted_policies() is
  'Every policy that collection files ask for: its name, what stands behind "create policy … on …", a hash of that, and where it comes from.';

revoke all on function service.wanted_policies() from public;
--! EndIncluded rules/wanted_policies.sql
--! Included rules/plan_policies.sql
-- New ones first, then those that no rule asks for any more, so that no restriction is missing in between.
create or replace function service.plan_policies() returns setof service.provision_step
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with stored as materialized (
    select p.oid, p.polrelid, p.polname::text as name, seal.found, seal.found[1] as meaning, seal.found[2] as state, seal.found[3] as version
    from pg_policy p
    left join pg_description d on d.classoid = 'pg_policy'::regclass and d.objoid = p.oid
    left join lateral (select regexp_match(d.description, '^Generated .* meaning:([0-9a-f]+) state:([0-9a-f]+) version:(\d+)$') as found) seal on true
  ), wanted as materialized (
    select w.*, format('%I.%I', w.schema_name, w.table_name) as on_table, format('%I.%I.%I', w.schema_name, w.table_name, w.name) as target,
      s.oid, s.found, s.meaning as stored_meaning, s.state, s.version::integer <> current_setting('server_version_num')::integer / 10000 as older
    from service.wanted_policies() w
    left join stored s on s.polrelid = w.relation and s.name = w.name
  ), made as (
    select w.*, concat(case when w.oid is not null then format('drop policy %I on %s; ', w.name, w.on_table) end,
      format('create policy %1$I on %2$s %3$s; select service.seal_policy(%4$L, %1$L, %5$L, %6$L)', w.name, w.on_table, w.clause, w.on_table, w.meaning, split_part(w.origin, '[', 1))) as statement
    from wanted w
  )
  select 140, 'policy', m.target, m.statement, false, 'safe', m.origin, null::text
  from made m
  where m.oid is null or (m.found is not null and (m.meaning <> m.stored_meaning or m.older))
  union all
  select 140, 'policy', m.target, null, false, 'report',
    case when m.found is null then 'A policy of this name is there that no rule made; the rule of ' || m.origin || ' has no effect.' else 'It was changed by hand and no longer says what ' || m.origin || ' says.' end,
    m.statement
  from made m
  where m.oid is not null and (m.found is null or (m.meaning = m.stored_meaning and not m.older and m.state <> service.policy_state(m.oid)))
  union all
  select 141, 'policy', format('%I.%I.%I', t.schema_name, t.table_name, s.name), case when s.found is not null then format('drop policy %I on %I.%I', s.name, t.schema_name, t.table_name) end,
    false, case when s.found is null then 'report' else 'safe' end,
    case when s.found is null then 'No rule of a collection made this policy; it applies beside those of the rules.' else 'No rule asks for it any more.' end, null
  from service.wanted_tables() t
  join stored s on s.polrelid = t.oid
  where not exists (select from wanted w where w.relation = t.oid and w.name = s.name);
end;

comment on function service.plan_policies() is 'The part of service.provision_plan() about policies: those of the rules, those no longer asked for, those made or changed by others.';

revoke all on function service.plan_policies() from public;
--! EndIncluded rules/plan_policies.sql
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
--! Included provision/touch.sql
create or replace function service.touch() returns trigger
  language plpgsql volatile as $$
begin
  return jsonb_populate_record(new, jsonb_build_object(tg_argv[0], now()));
end $$;

comment on function service.touch() is 'Trigger before update: sets the column that its argument names to now().';

revoke all on function service.touch() from public;
--! EndIncluded provision/touch.sql
--! Included read/aggregate_alias.sql
create or replace function service.aggregate_alias(aggregate jsonb) returns text
  language sql immutable parallel safe
  return concat_ws('_', aggregate ->> 'fn', aggregate ->> 'field');

comment on function service.aggregate_alias(jsonb) is 'The name of an aggregate in its answer: count, count_id, sum_total.';

revoke all on function service.aggregate_alias(jsonb) from public;
--! EndIncluded read/aggregate_alias.sql
--! Included read/aggregate_columns.sql
-- sum and avg are numbers whatever the column's precision; min and max look like the column does.
create or replace function service.aggregate_columns(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  aggregate jsonb;
  property service.properties;
  fn text;
  value text;
  columns text[] := '{}';
begin
  for aggregate in select * from jsonb_array_elements(shape -> 'select') loop
    fn := aggregate ->> 'fn';
    if aggregate ? 'field' then
      property := service.aggregate_property(collection, aggregate ->> 'field', roles);
      if (fn in ('sum', 'avg') and property.type <> 'number') or (fn in ('min', 'max') and property.type not in ('number', 'string', 'date')) then
        perform service.fail(400, 'INVALID_AGGREGATE_SELECT', format('%s does not apply to %s, which is of type %s.', fn, property.name, property.type),
          jsonb_build_object('field', property.name, 'collection', collection, 'function', fn, 'type', property.type));
      end if;
      value := format('%s(t.%I%s)', fn, property.column_name, case when fn in ('min', 'max') and property.sql_type = 'uuid' then '::text' else '' end);
    else
      value := 'count(*)';
    end if;
    columns := columns || format('%s as %I',
      case fn
        when 'count' then value
        when 'avg' then format('trim_scale(%s)', service.column_value(value || '::numeric', 'numeric'))
        when 'sum' then service.column_value(value || '::numeric', 'numeric')
        else service.column_value(value, case property.sql_type when 'uuid' then 'text' else property.sql_type end)
      end, service.aggregate_alias(aggregate));
  end loop;
  return array_to_string(columns, ', ');
end $$;

comment on function service.aggregate_columns(text, jsonb, text[]) is
  'SQL text of the aggregates of a request under their names. GW400 UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE, INVALID_AGGREGATE_SELECT (a function that does not apply to the field''s type).';

revoke all on function service.aggregate_columns(text, jsonb, text[]) from public;
--! EndIncluded read/aggregate_columns.sql
--! Included read/aggregate_order.sql
create or replace function service.aggregate_order(collection text, shape jsonb) returns text
  language plpgsql stable as $$
declare
  key jsonb;
  position integer;
  names text[] := array(
    select (service.find_property(collection, g.field)).name from jsonb_array_elements_text(shape -> 'groupBy') with ordinality g (field, n)
    union all
    select service.aggregate_alias(a.value) from jsonb_array_elements(shape -> 'select') with ordinality a (value, n));
  terms text[] := '{}';
begin
  for key in select * from jsonb_array_elements(shape -> 'orderBy') loop
    position := array_position(names, key ->> 'field');
    if position is null then
      perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('An aggregate is sorted by what it returns: %s.', array_to_string(names, ', ')),
        jsonb_build_object('field', key ->> 'field', 'collection', collection, 'validFields', names));
    end if;
    terms := terms || format('%s %s%s', position, key ->> 'direction', coalesce(' nulls ' || (key ->> 'nulls'), ''));
  end loop;
  return array_to_string(terms || array(select g.n::text from generate_series(1, jsonb_array_length(shape -> 'groupBy')) g (n)), ', ');
end $$;

comment on function service.aggregate_order(text, jsonb) is
  'SQL text after ORDER BY of a grouped aggregate: its keys among the group fields and aggregate names, then the groups ascending. GW400 UNKNOWN_ORDER_BY_FIELD.';

revoke all on function service.aggregate_order(text, jsonb) from public;
--! EndIncluded read/aggregate_order.sql
--! Included read/aggregate_property.sql
create or replace function service.aggregate_property(collection text, field text, roles text[]) returns service.properties
  language plpgsql stable as $$
declare
  property service.properties := service.find_property(collection, field);
begin
  if property.name is null then
    perform service.fail(400, 'UNKNOWN_AGGREGATE_FIELD',
      format('%s has no field %s. It has %s.', collection, field, (select string_agg(f, ', ') from jsonb_array_elements_text(service.valid_fields(collection, roles)) f)),
      jsonb_build_object('field', field, 'collection', collection, 'validFields', service.valid_fields(collection, roles)));
  end if;
  perform service.require_readable(property, roles);
  return property;
end $$;

comment on function service.aggregate_property(text, text, text[]) is
  'The property that an aggregate or a group names. GW400 UNKNOWN_AGGREGATE_FIELD {field, collection, validFields}, FIELD_NOT_READABLE.';

revoke all on function service.aggregate_property(text, text, text[]) from public;
--! EndIncluded read/aggregate_property.sql
--! Included read/scalar_value.sql
-- Dates are ISO 8601 in UTC with milliseconds; JSON has no infinity and no NaN, so they are null; numbers keep every
-- digit; what JSON has no form for is PostgreSQL's own text.
-- inet::text would add the length of the net to every address.
create or replace function service.scalar_value(expression text, sql_type text) returns text
  language sql immutable parallel safe
  return case
    when sql_type = 'timestamp with time zone' then format('case when isfinite(%1$s) then to_char(%1$s at time zone ''UTC'', ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'') end', expression)
    when sql_type = 'timestamp without time zone' then format('case when isfinite(%1$s) then to_char(%1$s, ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'') end', expression)
    when sql_type = 'date' then format('case when isfinite(%1$s) then %1$s end', expression)
    when sql_type in ('numeric', 'real', 'double precision') then format('case when %1$s < ''Infinity'' and %1$s > ''-Infinity'' then %1$s end', expression)
    when sql_type = 'money' then expression || '::numeric'
    when sql_type = 'bytea' then format('translate(encode(%s, ''base64''), chr(10), '''')', expression)
    when sql_type ~ '(^|\.)(half|sparse)?vector$' then expression || '::text::json'
    when sql_type in ('smallint', 'integer', 'bigint', 'boolean', 'text', 'character varying', 'bpchar', 'uuid', 'inet', 'json', 'jsonb') then expression
    else expression || '::text'
  end;

comment on function service.scalar_value(text, text) is
  'SQL text of a value of a type that is no array, as it stands in JSON: UTC dates with milliseconds, finite numbers with every digit, base64 for bytea, arrays of numbers for vectors, text for whatever JSON does not know.';

revoke all on function service.scalar_value(text, text) from public;
--! EndIncluded read/scalar_value.sql
--! Included read/array_value.sql
-- Arrays of types that JSON shows as they are need no work; others are rebuilt item by item. An array of arrays keeps
-- its form: its items are shown as PostgreSQL shows them in JSON.
create or replace function service.array_value(expression text, sql_type text) returns text
  language sql stable
begin atomic
  select case when i.item in ('e', 'e::text') then array_value.expression
    else format('case when array_ndims(%1$s) > 1 then to_json(%1$s) when %1$s is not null then to_json(array(select %2$s from unnest(%1$s) with ordinality u (e, n) order by n)) end', array_value.expression, i.item)
  end
  -- The type of an item is asked of the catalog, where a domain has its base type.
  from (select service.scalar_value('e', coalesce(
    (select service.sql_type(t.typelem) from pg_type t where t.oid = to_regtype(array_value.sql_type) and t.typcategory = 'A'),
    rtrim(array_value.sql_type, '[]')))) i (item);
end;

comment on function service.array_value(text, text) is 'SQL text of an array column as it stands in JSON.';

revoke all on function service.array_value(text, text) from public;
--! EndIncluded read/array_value.sql
--! Included read/base64url.sql
create or replace function service.base64url(bytes bytea) returns text
  language sql immutable parallel safe
  return translate(encode(bytes, 'base64'), '+/=' || chr(10), '-_');

comment on function service.base64url(bytea) is 'RFC 4648 base64url without padding.';

revoke all on function service.base64url(bytea) from public;
--! EndIncluded read/base64url.sql
--! Included read/claimed_roles.sql
create or replace function service.claimed_roles(claims jsonb) returns text[]
  language sql immutable parallel safe
  return case when coalesce(claims ->> 'uid', '') in ('', 'anonymous') then array['anon'] else string_to_array(coalesce(claims ->> 'roles', ''), ',') end;

comment on function service.claimed_roles(jsonb) is 'The roles that service.enter gives to a caller with these claims.';

revoke all on function service.claimed_roles(jsonb) from public;
--! EndIncluded read/claimed_roles.sql
--! Included read/column_list.sql
create or replace function service.column_list(alias text, columns text[]) returns text
  language sql immutable parallel safe
begin atomic
  select string_agg(format('%s.%I', alias, c), ', ' order by n) from unnest(columns) with ordinality u (c, n);
end;

comment on function service.column_list(text, text[]) is 'SQL text of columns of one alias, separated by commas.';

revoke all on function service.column_list(text, text[]) from public;
--! EndIncluded read/column_list.sql
--! Included read/column_pairs.sql
create or replace function service.column_pairs(left_alias text, left_columns text[], right_alias text, right_columns text[]) returns text
  language sql immutable parallel safe
begin atomic
  select string_agg(format('%s.%I = %s.%I', left_alias, l, right_alias, r), ' and ')
  from unnest(left_columns, right_columns) as c (l, r);
end;

comment on function service.column_pairs(text, text[], text, text[]) is
  'SQL text that equates two lists of columns: x.a = t.b and x.c = t.d.';

revoke all on function service.column_pairs(text, text[], text, text[]) from public;
--! EndIncluded read/column_pairs.sql
--! Included read/column_value.sql
create or replace function service.column_value(expression text, sql_type text) returns text
  language sql stable
  return case when sql_type like '%[]' then service.array_value(expression, sql_type) else service.scalar_value(expression, sql_type) end;

comment on function service.column_value(text, text) is 'SQL text of a column as it stands in JSON: service.scalar_value, for arrays item by item.';

revoke all on function service.column_value(text, text) from public;
--! EndIncluded read/column_value.sql
--! Included read/comparison.sql
create or replace function service.comparison(expression text, property service.properties, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record := service.operand(property.name, condition);
  kind text := case when property.type in ('reference', 'relation') then 'string' else property.type end;
  json_array boolean := kind = 'array' and property.sql_type in ('json', 'jsonb');
  composite boolean := exists (select from pg_catalog.pg_type t where t.oid = to_regtype(property.sql_type) and t.typtype = 'c');
  item_type text := case when kind = 'array' then rtrim(property.sql_type, '[]') else property.sql_type end;
begin
  if kind in ('vector', 'geopoint') then
    perform service.fail(400, 'INVALID_FILTER_FIELD', format('Field %s of %s cannot be filtered.', property.name, property.collection),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'type', kind));
  end if;
  if not kind = any (op.families)
    or (op.takes in ('scalar', 'list') and not json_array and not service.has_operator(item_type,
      case when op.operator in ('>', '>=', '<', '<=') then op.operator when op.operator in ('!=', 'not-in') then '<>' else '=' end)) then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to %s, which is of type %s.', op.operator, property.name, kind),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator, 'type', kind));
  end if;
  return case
    when json_array and op.takes <> 'nothing' then
      -- jsonb_array_elements_text refuses what is no array, and finds nothing in NULL.
      format('exists (select from jsonb_array_elements_text(case jsonb_typeof(%1$s::jsonb) when ''array'' then %1$s::jsonb end) e where e = %2$s)', expression,
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end)
    -- IS NOT NULL would ask whether each field of the composite is.
    when op.takes = 'nothing' and composite then
      format('%s is %s distinct from null', expression, case op.operator when 'is-null' then 'not' else '' end)
    when op.takes = 'text' then
      format(op.template, case when property.sql_type in ('text', 'character varying') then expression else expression || '::text' end, format('$%s::text', op.parameter))
    else
      format(op.template, expression, service.value(op.parameter, item_type, op.list))
  end;
end $$;

comment on function service.comparison(text, service.properties, jsonb) is
  'SQL text of one condition [operator, parameter] on a column expression. GW400 as service.operand, INVALID_FILTER_FIELD (a type that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';

revoke all on function service.comparison(text, service.properties, jsonb) from public;
--! EndIncluded read/comparison.sql
--! Included read/compile.sql
-- The one place that writes the SQL of a data request. The gateway caches the text by shape and runs it as a prepared
-- statement; service.list runs the same text.
create or replace function service.compile(shape jsonb, roles text[], out statement text, out lane text, out enter_first boolean)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  collection text := service.path_collection(shape -> 'path');
begin
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
end $$;

comment on function service.compile(jsonb, text[]) is
  'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include, search, vector, select, groupBy …}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before (partitioned tables whose policies call identity functions bare). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 for what is parsed but not compiled.';

revoke all on function service.compile(jsonb, text[]) from public;
--! EndIncluded read/compile.sql
--! Included read/condition.sql
-- A field name means, in this order: a column, a relation (membership), a path inside JSON, a column of a relation.
-- The whole name comes first, since a column or table may be named with dots and arrows.
create or replace function service.condition(collection text, alias text, field text, condition jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  property service.properties := service.find_property(collection, field);
  relation service.relations;
begin
  if property.name is not null then
    perform service.require_readable(property, roles);
    return service.comparison(format('%s.%I', alias, property.column_name), property, condition);
  end if;
  relation := service.find_relation(collection, field);
  if relation.name is not null then
    return service.membership(relation, alias, condition, roles);
  end if;
  property := service.find_property(collection, split_part(field, '->', 1));
  if property.name is not null then
    perform service.require_readable(property, roles);
    return service.json_comparison(format('%s.%I', alias, property.column_name), property, field, condition);
  end if;
  relation := service.find_relation(collection, split_part(field, '.', 1));
  if relation.name is not null then
    return service.related_condition(relation, alias, substr(field, length(relation.name) + 2), condition, roles);
  end if;
  perform service.fail(400, 'UNKNOWN_FILTER_FIELD', format('%s has no field %s.', collection, field),
    jsonb_build_object('field', field, 'collection', collection, 'validFields', service.valid_fields(collection, roles)));
end $$;

comment on function service.condition(text, text, text, jsonb, text[]) is
  'SQL text of one condition on one field of a collection. GW400 UNKNOWN_FILTER_FIELD {field, collection, validFields}, FIELD_NOT_READABLE, and what comparison, membership and related_condition refuse.';

revoke all on function service.condition(text, text, text, jsonb, text[]) from public;
--! EndIncluded read/condition.sql
--! Included read/search_patterns.sql
-- Words, and phrases between double quotes; % and _ are what they are.
create or replace function service.search_patterns(text text) returns text[]
  language sql immutable parallel safe
begin atomic
  select coalesce(array_agg('%' || regexp_replace(coalesce(m[1], m[2]), '([%_\\])', '\\\1', 'g') || '%'), '{}')
  from regexp_matches(text, '"([^"]*)"|(\S+)', 'g') m
  where coalesce(m[1], m[2]) <> '';
end;

comment on function service.search_patterns(text) is 'The LIKE patterns of a search text, one a word or quoted phrase; a row must match every one of them somewhere.';

revoke all on function service.search_patterns(text) from public;
grant execute on function service.search_patterns(text) to service_user;
--! EndIncluded read/search_patterns.sql
--! Included read/context_columns.sql
create or replace function service.context_columns(shape jsonb) returns text
  language sql immutable parallel safe
  return case when shape ? 'search' then format(', service.search_patterns($%s) as patterns', shape -> 'search' ->> 'param') else '' end;

comment on function service.context_columns(jsonb) is 'SQL text of what a statement works out once beside entering: the patterns of a search.';

revoke all on function service.context_columns(jsonb) from public;
--! EndIncluded read/context_columns.sql
--! Included read/run.sql
-- Runs what the gateway would run, as whom it would run it: the text of service.compile, prepared, under service_user.
-- Role and identity are put back, so a DBA's transaction goes on as it was.
create or replace function service.run(request json, claims jsonb, prefix text default '') returns setof text
  language plpgsql volatile set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set jit = off as $$
declare
  hoisted record := service.hoist(request);
  compiled record := service.compile(hoisted.shape, service.claimed_roles(claims));
  before text[] := array[current_setting('app.uid', true), current_setting('app.user_roles', true), current_setting('app.is_anonymous', true), current_setting('app.jwt', true)];
  line text;
  role_before text := current_setting('role');
  arguments text := (select string_agg(quote_literal(p), ', ' order by n) from unnest(array[claims::text] || hoisted.parameters) with ordinality u (p, n));
begin
  perform set_config('role', 'service_user', true);
  if compiled.enter_first then
    perform service.enter(claims::text);
  end if;
  execute format('prepare service_run as %s', compiled.statement);
  for line in execute format('%s execute service_run(%s)', prefix, arguments) loop
    return next line;
  end loop;
  deallocate service_run;
  perform set_config('role', role_before, true),
    set_config('app.uid', coalesce(before[1], ''), true), set_config('app.user_roles', coalesce(before[2], ''), true),
    set_config('app.is_anonymous', coalesce(before[3], ''), true), set_config('app.jwt', coalesce(before[4], ''), true);
exception when others then
  -- The subtransaction took the settings back; a prepared statement survives it.
  if exists (select from pg_catalog.pg_prepared_statements where name = 'service_run') then
    deallocate service_run;
  end if;
  raise;
end $$;

comment on function service.run(json, jsonb, text) is
  'Runs a request {op, path, …} as the caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}): the body the API would send; with prefix ''explain'' its plan.';

revoke all on function service.run(json, jsonb, text) from public;
--! EndIncluded read/run.sql
--! Included read/service_claims.sql
create or replace function service.service_claims() returns jsonb
  language sql immutable parallel safe
  return '{"uid": "service", "roles": "admin", "isAnonymous": false, "jwt": {"sub": "service", "roles": ["admin"], "is_anonymous": false}}'::jsonb;

comment on function service.service_claims() is 'The claims of the service key.';

revoke all on function service.service_claims() from public;
--! EndIncluded read/service_claims.sql
--! Included read/with_route.sql
-- json keeps the order of the request's keys, which numbers the parameters; so the text is spliced, not rebuilt.
create or replace function service.with_route(op text, path text[], request json) returns json
  language sql immutable parallel safe
  return (concat('{"op":', to_json(op), ',"path":', to_json(path), case when request::jsonb = '{}' then '' else ',' end, substr(ltrim(request::text, E' \n\t\r'), 2)))::json;

comment on function service.with_route(text, text[], json) is 'A request with its op and path written before its own keys.';

revoke all on function service.with_route(text, text[], json) from public;
--! EndIncluded read/with_route.sql
--! Included read/count.sql
create or replace function service.count(collection text, request json default '{}', claims jsonb default service.service_claims()) returns json
  language sql volatile
  return (select r::json from service.run(service.with_route('count', array[collection], request), claims) r);

comment on function service.count(text, json, jsonb) is
  'The answer of GET /data/<collection>/count, as JSON. request: {where, logical, orderBy, limit, offset, after, fields, include, count}, see service.hoist. claims: the caller, by default the service key.';

revoke all on function service.count(text, json, jsonb) from public;
--! EndIncluded read/count.sql
--! Included read/cursor_branches.sql
-- What follows a cursor, as ordered branches: rows that tie with it on all keys but the last, then on fewer, each
-- branch already in order, so an index serves every one and later ones may never run.
-- 0.05 ms where one OR-ed predicate takes 55 ms on 300,000 rows, and "a >= x and (…)" breaks on NULLs.
-- The cursor's values come from ctx.cursor, verified; which of them are NULL is part of the shape.
create or replace function service.cursor_branches(collection text, alias text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
declare
  keys record;
  ties text := '';
  beyond text;
  value text;
  value_is_null boolean;
  branches text[] := '{}';
begin
  for keys in select * from service.order_keys(collection, alias, shape -> 'orderBy', roles) order by n loop
    value := format('ctx.cursor[%s]::%s', keys.n, keys.sql_type);
    if keys.field is null and keys.nullable then
      -- The key of a view: whether it is NULL is known to the cursor only (service.next_cursor). Descending, so NULL stands first.
      value := format('(case when ctx.cursor[%1$s] <> '''' then substr(ctx.cursor[%1$s], 2)::%2$s end)', keys.n, keys.sql_type);
      branches := format('%s and (%s < %s or (%3$s is null and %2$s is not null))', ties, keys.expression, value) || branches;
      ties := ties || format(' and %s is not distinct from %s', keys.expression, value);
      continue;
    end if;
    value_is_null := coalesce((shape -> 'after' -> 'nulls' ->> (keys.n - 1)::integer)::boolean, false);
    if keys.nullable and not value_is_null and keys.nulls = 'last' then
      branches := format('%s and %s is null', ties, keys.expression) || branches;
    end if;
    beyond := case
      when not value_is_null then format('%s %s %s', keys.expression, case keys.direction when 'asc' then '>' else '<' end, value)
      when keys.nulls = 'first' then format('%s is not null', keys.expression)
    end;
    if beyond is not null then
      branches := format('%s and %s', ties, beyond) || branches;
    end if;
    ties := ties || case when value_is_null then format(' and %s is null', keys.expression) else format(' and %s = %s', keys.expression, value) end;
  end loop;
  return branches;
end $$;

comment on function service.cursor_branches(text, text, jsonb, text[]) is
  'The predicates (each beginning with and) that together hold the rows strictly after shape.after, in the order in which they follow each other.';

revoke all on function service.cursor_branches(text, text, jsonb, text[]) from public;
--! EndIncluded read/cursor_branches.sql
--! Included read/cursor_mac.sql
-- HMAC-SHA256 (RFC 2104) from the built-in sha256: a cursor is signed in the statement that issues it, and no
-- extension is needed. The key is stored padded.
create or replace function service.cursor_mac(payload text) returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select service.base64url(substr(sha256(s.outer_key || sha256(s.inner_key || convert_to(payload, 'UTF8'))), 1, 16))
  from service.cursor_key s;
end;

comment on function service.cursor_mac(text) is 'The first 128 bits of HMAC-SHA256 over a payload under this database''s cursor key, base64url.';

revoke all on function service.cursor_mac(text) from public;
--! EndIncluded read/cursor_mac.sql
--! Included read/cursor_open.sql
create or replace function service.cursor_open(collection text, token text) returns text[]
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  payload text;
begin
  begin
    payload := convert_from(service.from_base64url(split_part(token, '.', 1)), 'UTF8');
  exception when data_exception then
    payload := null;
  end;
  if payload is null or service.cursor_mac(collection || ' ' || payload) <> split_part(token, '.', 2) then
    perform service.fail(400, 'INVALID_CURSOR', 'The cursor was not issued by this service for this collection.');
  end if;
  return array(select jsonb_array_elements_text(payload::jsonb -> 'v'));
end $$;

comment on function service.cursor_open(text, text) is
  'The values of a cursor that this database signed for this collection: those of its sort keys, then the key''s. GW400 INVALID_CURSOR.';

revoke all on function service.cursor_open(text, text) from public;
grant execute on function service.cursor_open(text, text) to service_user;
--! EndIncluded read/cursor_open.sql
--! Included read/cursor_payload.sql
create or replace function service.cursor_payload(token text) returns jsonb
  language plpgsql immutable as $$
declare
  payload jsonb;
begin
  begin
    payload := convert_from(service.from_base64url(split_part(token, '.', 1)), 'UTF8');
  exception when data_exception then
    payload := null;
  end;
  if jsonb_typeof(payload -> 'k') = 'array' and jsonb_typeof(payload -> 'v') = 'array' then
    return payload;
  end if;
  perform service.fail(400, 'INVALID_CURSOR', 'The cursor is not one that this service issues.');
end $$;

comment on function service.cursor_payload(text) is 'What a cursor says, not verified: {"k": keys, "v": values}. GW400 INVALID_CURSOR when it is not of that form.';

revoke all on function service.cursor_payload(text) from public;
--! EndIncluded read/cursor_payload.sql
--! Included read/cursor_seal.sql
create or replace function service.cursor_seal(collection text, keys text, "values" json) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  payload text := concat('{"k":', keys, ',"v":', "values", '}');
begin
  return service.base64url(convert_to(payload, 'UTF8')) || '.' || service.cursor_mac(collection || ' ' || payload);
end $$;

comment on function service.cursor_seal(text, text, json) is
  'A cursor: base64url of {"k":[[field, direction, nulls]…],"v":[stored value as text or null…, key…]}, a dot, its signature. Bound to the collection.';

revoke all on function service.cursor_seal(text, text, json) from public;
grant execute on function service.cursor_seal(text, text, json) to service_user;
--! EndIncluded read/cursor_seal.sql
--! Included read/vector_distance.sql
-- The operators are pgvector's, in the schema that the extension lives in; an index of the same distance serves them.
create or replace function service.vector_distance(collection text, alias text, vector jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  property service.properties := service.vector_property(collection, vector ->> 'property', roles);
  extension_schema text := coalesce(substring(property.sql_type from '^(.*)\.'), 'public');
begin
  return format('(%s.%I operator(%s.%s) $%s::%s)', alias, property.column_name, extension_schema,
    case vector ->> 'distance' when 'l2' then '<->' when 'inner_product' then '<#>' else '<=>' end, vector ->> 'param', property.sql_type);
end $$;

comment on function service.vector_distance(text, text, jsonb, text[]) is
  'SQL text of the distance of a row to the vector of a request: cosine, l2, or the negated inner product.';

revoke all on function service.vector_distance(text, text, jsonb, text[]) from public;
--! EndIncluded read/vector_distance.sql
--! Included read/distance_column.sql
create or replace function service.distance_column(collection text, alias text, shape jsonb, roles text[]) returns text
  language sql stable
  return case when shape ? 'vector' then format(', %s as "_distance"', service.vector_distance(collection, alias, shape -> 'vector', roles)) else '' end;

comment on function service.distance_column(text, text, jsonb, text[]) is 'SQL text of the column _distance that a vector search adds to a row, beginning with a comma.';

revoke all on function service.distance_column(text, text, jsonb, text[]) from public;
--! EndIncluded read/distance_column.sql
--! Included read/explain.sql
create or replace function service.explain(collection text, request json default '{}', claims jsonb default service.service_claims()) returns setof text
  language plpgsql volatile as $$
declare
  routed json := service.with_route('list', array[collection], request);
begin
  return next (service.compile((service.hoist(routed)).shape, service.claimed_roles(claims))).statement;
  return query select * from service.run(routed, claims, 'explain (analyze, buffers)');
end $$;

comment on function service.explain(text, json, jsonb) is
  'The statement of a list, then its plan, run for real as the caller with these claims (by default the service key).';

revoke all on function service.explain(text, json, jsonb) from public;
--! EndIncluded read/explain.sql
--! Included read/find_column.sql
create or replace function service.find_column(collection text, column_name text) returns service.properties
  language sql stable
begin atomic
  select p from service.properties p where p.collection = find_column.collection and p.column_name = find_column.column_name limit 1;
end;

comment on function service.find_column(text, text) is 'The property that a column of the table is, null when it is none.';

revoke all on function service.find_column(text, text) from public;
--! EndIncluded read/find_column.sql
--! Included read/find_property.sql
-- A client may use the wire name or the raw column name; the wire name wins where they differ.
create or replace function service.find_property(collection text, field text) returns service.properties
  language sql stable
begin atomic
  select p
  from service.properties p
  where p.collection = find_property.collection
    and find_property.field in (p.name, p.column_name)
    and not p.excluded
  order by p.name = find_property.field desc
  limit 1;
end;

comment on function service.find_property(text, text) is
  'The property a client means by a field name (wire name, or raw column name), null when there is none it may know of.';

revoke all on function service.find_property(text, text) from public;
--! EndIncluded read/find_property.sql
--! Included read/find_relation.sql
create or replace function service.find_relation(collection text, relation text) returns service.relations
  language sql stable
begin atomic
  select r
  from service.relations r
  where r.collection = find_relation.collection and r.name = find_relation.relation;
end;

comment on function service.find_relation(text, text) is
  'The relation of a collection by its name, null when there is none.';

revoke all on function service.find_relation(text, text) from public;
--! EndIncluded read/find_relation.sql
--! Included read/from_base64url.sql
create or replace function service.from_base64url(text text) returns bytea
  language sql immutable parallel safe
  return decode(rpad(translate(text, '-_', '+/'), (length(text) + 3) / 4 * 4, '='), 'base64');

comment on function service.from_base64url(text) is 'The bytes of unpadded base64url; 22023 when it is none.';

revoke all on function service.from_base64url(text) from public;
--! EndIncluded read/from_base64url.sql
--! Included read/get.sql
create or replace function service.get(collection text, id text, request json default '{}', claims jsonb default service.service_claims()) returns json
  language sql volatile
  return (select r::json from service.run(service.with_route('get', array[collection, id], request), claims) r);

comment on function service.get(text, text, json, jsonb) is
  'The answer of GET /data/<collection>/<id>, as JSON; null where the API says 404. request: {where, logical, orderBy, limit, offset, after, fields, include, count}, see service.hoist. claims: the caller, by default the service key.';

revoke all on function service.get(text, text, json, jsonb) from public;
--! EndIncluded read/get.sql
--! Included read/group_columns.sql
create or replace function service.group_columns(collection text, shape jsonb, roles text[], shown boolean) returns text
  language plpgsql stable as $$
declare
  field text;
  property service.properties;
  columns text[];
begin
  for field in select * from jsonb_array_elements_text(shape -> 'groupBy') loop
    property := service.aggregate_property(collection, field, roles);
    if not service.is_sortable(property.sql_type) then
      perform service.fail(400, 'INVALID_AGGREGATE_SELECT', format('%s cannot be grouped by %s, which is of type %s.', collection, property.name, property.type),
        jsonb_build_object('field', property.name, 'collection', collection, 'type', property.type));
    end if;
    columns := columns || case when shown then format('%s as %I', service.column_value(format('t.%I', property.column_name), property.sql_type), property.name)
      else format('t.%I', property.column_name) end;
  end loop;
  return array_to_string(columns, ', ');
end $$;

comment on function service.group_columns(text, jsonb, text[], boolean) is
  'SQL text of the columns that a request groups by, as they are shown or as they are; null without groupBy. GW400 UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE, INVALID_AGGREGATE_SELECT.';

revoke all on function service.group_columns(text, jsonb, text[], boolean) from public;
--! EndIncluded read/group_columns.sql
--! Included read/has_operator.sql
-- What the parser would find: an operator on the type itself, on what it is cast to implicitly, or on its kind of types.
-- PL/pgSQL keeps the plan: 0.03 ms a call where an SQL function that is planned anew takes 0.5.
create or replace function service.has_operator(sql_type text, operator text) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select from service.operand_types(has_operator.sql_type) t (type)
    join pg_catalog.pg_operator o on o.oprleft = t.type and o.oprright = t.type
    where o.oprname = has_operator.operator);
end $$;

comment on function service.has_operator(text, text) is 'Whether two values of a type can be compared by an SQL operator (=, <>, <, …): not so for xml or point.';

revoke all on function service.has_operator(text, text) from public;
--! EndIncluded read/has_operator.sql
--! Included read/hoist.sql
-- The same step that the gateway takes for a URL: values out, parameter numbers in, in the order of the document
-- (json, not jsonb, keeps it). $1 is the claims.
create or replace function service.hoist(request json, out shape jsonb, out parameters text[])
  language plpgsql stable as $$
declare
  part record;
  page_size integer := coalesce((request ->> 'limit')::integer, case when request -> 'vector' is null then 50 else 10 end);
  cursor jsonb;
  known text[] := '{op,path,where,logical,orderBy,limit,offset,after,fields,include,count,search,vector,distinct,deleted,select,groupBy}';
  unknown text := (select k from json_object_keys(request) k where not k = any (known) limit 1);
begin
  if unknown is not null then
    perform service.fail(400, 'INVALID_PARAM', format('A request has no %s.', unknown), jsonb_build_object('parameter', unknown, 'validParameters', to_jsonb(known)));
  elsif page_size < 1 then
    perform service.fail(400, 'INVALID_LIMIT', 'limit is not a whole number from 1.', jsonb_build_object('parameter', 'limit', 'value', page_size));
  elsif (request ->> 'offset')::bigint < 0 then
    perform service.fail(400, 'INVALID_OFFSET', 'offset is not a whole number from 0.', jsonb_build_object('parameter', 'offset', 'value', request -> 'offset'));
  elsif request ->> 'after' is not null and request ->> 'offset' is not null then
    perform service.fail(400, 'CURSOR_WITH_OFFSET', 'A cursor already says where the page starts. Leave out offset.');
  end if;
  parameters := '{}';
  shape := jsonb_build_object('op', request ->> 'op');
  part := service.hoist_path(request -> 'path', parameters);
  shape := shape || jsonb_build_object('path', part.path);
  parameters := part.parameters;
  part := service.hoist_node(request, false, parameters);
  shape := shape || part.node;
  parameters := part.parameters;
  if shape ->> 'op' = 'list' or shape ? 'groupBy' then
    parameters := parameters || page_size::text;
    shape := shape || jsonb_build_object('limit', jsonb_build_object('param', cardinality(parameters) + 1,
      'bucket', (2 ^ ceil(log(2, page_size + 1)))::integer));
    if (request ->> 'offset')::bigint > 0 then
      parameters := parameters || (request ->> 'offset');
      shape := shape || jsonb_build_object('offset', cardinality(parameters) + 1);
    end if;
    if request ->> 'after' is not null then
      parameters := parameters || (request ->> 'after');
      cursor := service.cursor_payload(request ->> 'after');
      shape := shape || jsonb_build_object('after', jsonb_build_object('param', cardinality(parameters) + 1, 'keys', cursor -> 'k',
        'nulls', (select coalesce(jsonb_agg(cursor -> 'v' -> (n - 1)::integer = 'null'), '[]') from jsonb_array_elements(cursor -> 'k') with ordinality k (key, n))));
      if not shape ? 'orderBy' and cursor -> 'k' <> '[]' then
        shape := shape || jsonb_build_object('orderBy', (
          select jsonb_agg(jsonb_build_object('field', key -> 0, 'direction', key -> 1)
            || case when key ->> 2 = case key ->> 1 when 'desc' then 'first' else 'last' end then '{}' else jsonb_build_object('nulls', key -> 2) end order by n)
          from jsonb_array_elements(cursor -> 'k') with ordinality k (key, n)));
      end if;
    end if;
    if request ->> 'count' in ('none', 'estimated') then
      shape := shape || jsonb_build_object('count', request ->> 'count');
    end if;
  end if;
end $$;

comment on function service.hoist(json) is
  'Takes the values out of a request {op, path: [slug, id, relation …], where: {field: [operator, value] or a list of those}, logical, orderBy: [{field, direction, nulls}], limit, offset, after, fields, include, count, search: {text}, vector: {property, vector, distance, threshold}, distinct, deleted, select: [{fn, field}], groupBy}: the shape that service.compile reads, and the values of $2 onwards. GW400 INVALID_CURSOR, INVALID_PARAM, INVALID_LIMIT, INVALID_OFFSET, CURSOR_WITH_OFFSET, and those of conditions and groups.';

revoke all on function service.hoist(json) from public;
--! EndIncluded read/hoist.sql
--! Included read/hoist_condition.sql
create or replace function service.hoist_condition(field text, condition json, inout parameters text[], out hoisted jsonb)
  language plpgsql immutable as $$
declare
  op text := condition ->> 0;
  value json := condition -> 1;
begin
  if op in ('is-null', 'is-not-null') or (json_typeof(value) = 'null' and op in ('==', 'in', '!=', 'not-in')) then
    hoisted := jsonb_build_array(case when op in ('==', 'in') then 'is-null' when op in ('!=', 'not-in') then 'is-not-null' else op end, null);
    return;
  end if;
  if json_typeof(value) = 'array' then
    if exists (select from json_array_elements(value) v where json_typeof(v) = 'null') then
      perform service.fail(400, 'INVALID_FILTER_VALUE', format('The list for %s holds null. Test for null on its own.', field), jsonb_build_object('field', field));
    end if;
    parameters := parameters || array(select v from json_array_elements_text(value) v)::text;
    hoisted := jsonb_build_array(op, jsonb_build_array(cardinality(parameters) + 1));
    return;
  end if;
  if json_typeof(value) in ('string', 'number', 'boolean') then
    -- One value is a list of one; to overlap with it is to contain it.
    parameters := parameters || case when op in ('in', 'not-in') then array[condition ->> 1]::text else condition ->> 1 end;
    hoisted := case op when 'in' then jsonb_build_array(op, jsonb_build_array(cardinality(parameters) + 1))
      when 'not-in' then jsonb_build_array(op, jsonb_build_array(cardinality(parameters) + 1))
      when 'array-contains-any' then jsonb_build_array('array-contains', cardinality(parameters) + 1)
      else jsonb_build_array(op, cardinality(parameters) + 1) || case json_typeof(value) when 'number' then '["number"]' else '[]' end::jsonb end;
    return;
  end if;
  perform service.fail(400, 'INVALID_WHERE', format('The condition on %s is not an operator and a value.', field), jsonb_build_object('field', field));
end $$;

comment on function service.hoist_condition(text, json, text[]) is
  'One condition [operator, value] with its value taken out: [operator, parameter number], [operator, [number]] for a list. GW400 INVALID_WHERE, INVALID_FILTER_VALUE for a list that holds null.';

revoke all on function service.hoist_condition(text, json, text[]) from public;
--! EndIncluded read/hoist_condition.sql
--! Included read/hoist_logical.sql
create or replace function service.hoist_logical(logical json, inout parameters text[], out node jsonb)
  language plpgsql immutable as $$
declare
  part record;
  child json;
begin
  if logical -> 'conditions' is null and logical ->> 'column' is not null then
    part := service.hoist_condition(logical ->> 'column', json_build_array(logical -> 'operator', logical -> 'value'), parameters);
    parameters := part.parameters;
    node := jsonb_build_object('column', logical ->> 'column', 'condition', part.hoisted);
    return;
  end if;
  if not coalesce(logical ->> 'type' in ('and', 'or', 'not') and json_typeof(logical -> 'conditions') = 'array' and json_array_length(logical -> 'conditions') > 0, false) then
    perform service.fail(400, 'INVALID_LOGICAL_GROUP', 'A logical group is a type (and, or, not) and conditions.');
  end if;
  node := jsonb_build_object('type', logical ->> 'type', 'conditions', '[]'::jsonb);
  for child in select c.value from json_array_elements(logical -> 'conditions') c loop
    part := service.hoist_logical(child, parameters);
    parameters := part.parameters;
    node := jsonb_set(node, '{conditions}', node -> 'conditions' || jsonb_build_array(part.node));
  end loop;
end $$;

comment on function service.hoist_logical(json, text[]) is 'A logical group {type, conditions} of groups and leaves {column, operator, value}, its values taken out. GW400 INVALID_LOGICAL_GROUP.';

revoke all on function service.hoist_logical(json, text[]) from public;
--! EndIncluded read/hoist_logical.sql
--! Included read/hoist_node.sql
-- Parameters are numbered as the gateway numbers them: where, logical, the limit of an include, its own includes.
create or replace function service.hoist_node(request json, nested boolean, inout parameters text[], out node jsonb)
  language plpgsql immutable as $$
declare
  part record;
  field text;
  conditions json;
  condition json;
  hoisted jsonb;
  child json;
begin
  node := '{}';
  if request -> 'where' is not null then
    node := node || jsonb_build_object('where', '{}'::jsonb);
    for field, conditions in select w.key, w.value from json_each(request -> 'where') w loop
      hoisted := '[]';
      for condition in
        select c.value from json_array_elements(case when json_typeof(conditions -> 0) = 'array' then conditions else json_build_array(conditions) end) c
      loop
        part := service.hoist_condition(field, condition, parameters);
        hoisted := hoisted || jsonb_build_array(part.hoisted);
        parameters := part.parameters;
      end loop;
      node := jsonb_set(node, array['where', field], hoisted);
    end loop;
  end if;
  if request -> 'logical' is not null then
    part := service.hoist_logical(request -> 'logical', parameters);
    node := node || jsonb_build_object('logical', part.node);
    parameters := part.parameters;
  end if;
  if not nested then
    part := service.hoist_search(request, parameters);
    node := node || part.node;
    parameters := part.parameters;
  end if;
  if nested and request ->> 'limit' is not null then
    parameters := parameters || (request ->> 'limit');
    node := node || jsonb_build_object('limit', cardinality(parameters) + 1);
  end if;
  if request -> 'include' is not null then
    node := node || jsonb_build_object('include', '{}'::jsonb);
    for field, child in select i.key, i.value from json_each(
      case json_typeof(request -> 'include') when 'array' then (select json_object_agg(name, '{}'::json) from json_array_elements_text(request -> 'include') name) else request -> 'include' end) i loop
      part := service.hoist_node(case json_typeof(child) when 'object' then child else '{}' end, true, parameters);
      parameters := part.parameters;
      node := jsonb_set(node, array['include', field], part.node);
    end loop;
  end if;
  if request -> 'orderBy' is not null then
    node := node || jsonb_build_object('orderBy', (
      select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('field', k.value ->> 'field', 'direction', coalesce(k.value ->> 'direction', 'asc'), 'nulls', k.value ->> 'nulls')))
      from json_array_elements(request -> 'orderBy') k));
  end if;
  if request -> 'fields' is not null then
    node := node || jsonb_build_object('fields', request -> 'fields');
  end if;
end $$;

comment on function service.hoist_node(json, boolean, text[]) is 'The part of a request that an include node has too ({where, logical, include, orderBy, fields}; nested: limit as well), its values taken out.';

revoke all on function service.hoist_node(json, boolean, text[]) from public;
--! EndIncluded read/hoist_node.sql
--! Included read/hoist_path.sql
create or replace function service.hoist_path(segments json, inout parameters text[], out path jsonb)
  language plpgsql immutable as $$
declare
  segment text;
  n bigint;
begin
  path := '[]';
  for segment, n in select s.value, s.ordinality from json_array_elements_text(segments) with ordinality s loop
    if n % 2 = 0 then
      parameters := parameters || segment;
      path := path || to_jsonb(cardinality(parameters) + 1);
    else
      path := path || to_jsonb(segment);
    end if;
  end loop;
end $$;

comment on function service.hoist_path(json, text[]) is 'A path with its ids taken out: ["artist", "1", "album"] is ["artist", 2, "album"].';

revoke all on function service.hoist_path(json, text[]) from public;
--! EndIncluded read/hoist_path.sql
--! Included read/hoist_search.sql
create or replace function service.hoist_search(request json, inout parameters text[], out node jsonb)
  language plpgsql immutable as $$
declare
  verbatim text;
begin
  node := '{}';
  if request -> 'search' is not null then
    parameters := parameters || (request -> 'search' ->> 'text');
    node := node || jsonb_build_object('search', (request -> 'search')::jsonb - 'text' || jsonb_build_object('param', cardinality(parameters) + 1));
  end if;
  if request -> 'vector' is not null then
    parameters := parameters || (request -> 'vector' ->> 'vector');
    node := node || jsonb_build_object('vector', jsonb_build_object('property', request -> 'vector' -> 'property',
      'distance', coalesce(request -> 'vector' ->> 'distance', 'cosine'), 'param', cardinality(parameters) + 1));
    if request -> 'vector' ->> 'threshold' is not null then
      parameters := parameters || (request -> 'vector' ->> 'threshold');
      node := jsonb_set(node, '{vector,threshold}', to_jsonb(cardinality(parameters) + 1));
    end if;
  end if;
  foreach verbatim in array array['distinct', 'deleted', 'select', 'groupBy'] loop
    if request -> verbatim is not null then
      node := node || jsonb_build_object(verbatim, request -> verbatim);
    end if;
  end loop;
end $$;

comment on function service.hoist_search(json, text[]) is 'The part of a request that only its root has: search and vector with their values taken out; distinct, deleted, select and groupBy as they are.';

revoke all on function service.hoist_search(json, text[]) from public;
--! EndIncluded read/hoist_search.sql
--! Included read/include.sql
-- Included relations, set-based: one query a hop for all rows of the level above, never one a row. Every level is a
-- materialized CTE of its rows and, on the way back up, one of their JSON grouped by the column that leads to them.
create or replace function service.include(collection text, rows_name text, node jsonb, roles text[], out ctes text, out joins text, out columns text)
  language plpgsql stable as $$
declare
  included record;
  n integer := 0;
  part record;
begin
  ctes := '';
  joins := '';
  columns := '';
  for included in select * from service.included_relations(collection, node, roles) loop
    n := n + 1;
    part := service.include_relation(service.find_relation(collection, included.name), rows_name, rows_name || '_' || n, included.options, roles);
    ctes := ctes || part.ctes;
    joins := joins || part.joins;
    columns := columns || part.columns;
  end loop;
end $$;

comment on function service.include(text, text, jsonb, text[]) is
  'SQL text for the included relations of a set of rows (a CTE): further CTEs, the joins to them (alias t for the rows) and the columns they add.';

revoke all on function service.include(text, text, jsonb, text[]) from public;
--! EndIncluded read/include.sql
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
      (select string_agg(format('j.%I as %I', c, b), ', ') from unnest(relation.junction_source, back) u (c, b)),
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
      service.row_columns(relation.target, 't', node, roles) || nested.columns, row_number, service.shown_row(relation.target, 'd'));
  joins := format(' left join %I on %s', rows_name || '_json', service.column_pairs(quote_ident(rows_name || '_json'), back, 't', relation.local_columns));
  columns := format(case relation.kind when 'belongsTo' then ', %I.%s as %I' when 'hasOne' then ', %I.%s -> 0 as %I' else ', coalesce(%I.%s, ''[]'') as %I' end, rows_name || '_json', json, relation.name);
end $$;

comment on function service.include_relation(service.relations, text, text, jsonb, text[]) is
  'SQL text for one included relation: the CTE of its rows (limit a parent, in order), those of the relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column. To-one is an object or null, to-many an array.';

revoke all on function service.include_relation(service.relations, text, text, jsonb, text[]) from public;
--! EndIncluded read/include_relation.sql
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
      and not (r.kind = 'belongsTo' and exists (
        select from service.properties p where p.collection = r.collection and p.column_name = any (r.local_columns) and not service.readable(p, roles)))
    order by r.name collate "C";
end $$;

comment on function service.included_relations(text, jsonb, text[]) is
  'The relations that a node {include} asks for, with their options; * is spelled out. GW400 UNKNOWN_RELATION {relation, collection, validRelations}, FIELD_NOT_READABLE.';

revoke all on function service.included_relations(text, jsonb, text[]) from public;
--! EndIncluded read/included_relations.sql
--! Included read/is_sortable.sql
create or replace function service.is_sortable(sql_type text) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select from service.operand_types(is_sortable.sql_type) t (type)
    join pg_catalog.pg_opclass c on c.opcintype = t.type and c.opcdefault
    join pg_catalog.pg_am m on m.oid = c.opcmethod and m.amname = 'btree');
end $$;

comment on function service.is_sortable(text) is 'Whether PostgreSQL has an order for a type: not so for xml, json or the geometric types.';

revoke all on function service.is_sortable(text) from public;
--! EndIncluded read/is_sortable.sql
--! Included read/json_comparison.sql
create or replace function service.json_comparison(expression text, property service.properties, path text, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record := service.operand(path, condition);
  leaf text := service.json_path(expression, path);
begin
  if property.sql_type not in ('json', 'jsonb') or op.operator like 'array-%' then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to the path %s.', op.operator, path),
      jsonb_build_object('field', path, 'collection', property.collection, 'operator', op.operator));
  end if;
  if condition ->> 2 = 'number' and op.operator in ('>', '>=', '<', '<=') then
    -- Rows whose leaf is no number are skipped; the CASE keeps the cast from seeing them. Exponents are held to what numeric can hold.
    return format('case when %1$s ~ ''^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?$'' then %1$s::numeric %2$s $%3$s::numeric else false end', leaf, op.operator, op.parameter);
  end if;
  return format(op.template, leaf, service.value(op.parameter, 'text', op.list));
end $$;

comment on function service.json_comparison(text, service.properties, text, jsonb) is
  'SQL text of one condition on a path inside a JSON column: text comparison; numeric when an ordering operator was given a JSON number. GW400 as service.operand, INVALID_FILTER_OPERATOR for array operators or a column that is not JSON.';

revoke all on function service.json_comparison(text, service.properties, text, jsonb) from public;
--! EndIncluded read/json_comparison.sql
--! Included read/json_path.sql
-- Path segments are literals of the compiled text, quoted: they are part of the shape, never of SQL syntax.
create or replace function service.json_path(expression text, path text) returns text
  language sql immutable parallel safe
begin atomic
  select format('(%s #>> array[%s]::text[])', expression, string_agg(quote_literal(segment), ', ' order by n))
  from regexp_split_to_table(path, '->>?') with ordinality as s (segment, n)
  where n > 1;
end;

comment on function service.json_path(text, text) is
  'SQL text of the text leaf under a JSON column, from a field name such as metadata->address->>city (the first segment is the column).';

revoke all on function service.json_path(text, text) from public;
--! EndIncluded read/json_path.sql
--! Included read/value.sql
-- Values travel as text and are typed here, so that a bad one fails when it is bound, with its parameter number.
-- timestamp columns hold UTC: reading the value as timestamptz first honours an offset that the client sent
-- (lane sessions run in UTC).
create or replace function service.value(parameter integer, sql_type text, list boolean default false) returns text
  language sql immutable parallel safe
  return format(
    case sql_type when 'timestamp without time zone' then '$%s::timestamptz%s::timestamp%2$s' else '$%s::' || replace(sql_type, '%', '%%') || '%s' end,
    parameter, case when list then '[]' else '' end);

comment on function service.value(integer, text, boolean) is
  'SQL text of a parameter cast to a column''s type (its array type for a list): $2::integer, $3::text[].';

revoke all on function service.value(integer, text, boolean) from public;
--! EndIncluded read/value.sql
--! Included read/key_predicate.sql
create or replace function service.key_predicate(collection text, alias text, parameter text) returns text
  language sql stable
begin atomic
  select case when count(*) > 1 then format(' and cardinality(string_to_array($%s::text, '':::'')) = %s', parameter, count(*)) else '' end
    || string_agg(format(' and %s.%I = %s', alias, p.column_name,
      case when cardinality(c.key) = 1 then service.value(parameter::integer, p.sql_type)
        else format('(string_to_array($%s::text, '':::''))[%s]::%s', parameter, k.n, p.sql_type) end), '' order by k.n)
  from service.collections c, unnest(c.key) with ordinality k (name, n)
    join service.properties p on p.name = k.name
  where c.slug = key_predicate.collection and p.collection = key_predicate.collection;
end;

comment on function service.key_predicate(text, text, text) is
  'SQL text (beginning with and) of "this row has the id in that parameter". The parts of a composite key stand in one parameter, joined by :::.';

revoke all on function service.key_predicate(text, text, text) from public;
--! EndIncluded read/key_predicate.sql
--! Included read/list.sql
create or replace function service.list(collection text, request json default '{}', claims jsonb default service.service_claims()) returns json
  language sql volatile
  return (select r::json from service.run(service.with_route('list', array[collection], request), claims) r);

comment on function service.list(text, json, jsonb) is
  'The answer of GET /data/<collection>, as JSON. request: {where, logical, orderBy, limit, offset, after, fields, include, count}, see service.hoist. claims: the caller, by default the service key.';

revoke all on function service.list(text, json, jsonb) from public;
--! EndIncluded read/list.sql
--! Included read/logical.sql
create or replace function service.logical(collection text, alias text, node jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  parts text;
begin
  if node ? 'column' then
    return service.condition(collection, alias, node ->> 'column', node -> 'condition', roles);
  end if;
  select string_agg(format('(%s)', service.logical(collection, alias, part, roles)), case node ->> 'type' when 'or' then ' or ' else ' and ' end)
    into parts
  from jsonb_array_elements(node -> 'conditions') part;
  -- A real negation: a row for which the group is unknown (a NULL column) is included.
  return case node ->> 'type' when 'not' then format('(%s) is not true', parts) else parts end;
end $$;

comment on function service.logical(text, text, jsonb, text[]) is
  'SQL text of a logical group {type: and|or|not, conditions: […]} or of a leaf {column, condition}, to any depth. not(a,b) is (a and b) is not true, so it includes rows where the columns are NULL.';

revoke all on function service.logical(text, text, jsonb, text[]) from public;
--! EndIncluded read/logical.sql
--! Included read/membership.sql
-- EXISTS, never a join: a join would multiply rows and break limit and total.
create or replace function service.membership(relation service.relations, alias text, condition jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  target_alias text := alias || 'x';
  reach text;
  key service.properties;
  op text := (service.operand(relation.name, condition)).operator;
  positive text := case op when '!=' then '==' when 'not-in' then 'in' when 'array-contains' then '==' when 'array-contains-any' then 'in' else op end;
begin
  if relation.kind = 'via' then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER', format('Relation %s cannot be filtered.', relation.name),
      jsonb_build_object('field', relation.name, 'collection', relation.collection, 'relation', relation.name, 'kind', relation.kind));
  end if;
  perform service.require_relation_readable(relation, roles);
  if relation.kind = 'belongsTo' and cardinality(relation.local_columns) = 1 then
    key := service.find_column(relation.collection, relation.local_columns[1]);
    return service.comparison(format('%s.%I', alias, key.column_name), key, condition);
  end if;
  select p.* into key from service.collections c join service.properties p on p.collection = c.slug and p.name = c.key[1]
  where c.slug = relation.target and cardinality(c.key) = 1;
  -- The parts of a composite key do not stand in one value.
  if positive not in ('==', 'in', 'is-null', 'is-not-null') or (key.name is null and positive not like 'is-%') then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER_OPERATOR', format('Operator %s does not apply to the relation %s.', op, relation.name),
      jsonb_build_object('field', relation.name, 'collection', relation.collection, 'operator', op));
  end if;
  reach := service.relation_from(relation, alias, target_alias);
  if positive like 'is-%' then
    return format('%s (select from %s)', case positive when 'is-null' then 'not exists' else 'exists' end, reach);
  end if;
  return format('%s (select from %s and %s)', case when op in ('!=', 'not-in') then 'not exists' else 'exists' end, reach,
    service.comparison(format('%s.%I', target_alias, key.column_name), key, jsonb_set(condition, '{0}', to_jsonb(positive))));
end $$;

comment on function service.membership(service.relations, text, jsonb, text[]) is
  'SQL text of a condition on a relation by its name: the foreign key of a belongsTo, else whether related rows (with these ids) exist. Negative operators mean that no related row matches. GW400 UNSUPPORTED_RELATION_FILTER; UNSUPPORTED_RELATION_FILTER_OPERATOR, also for the ids of a composite key.';

revoke all on function service.membership(service.relations, text, jsonb, text[]) from public;
--! EndIncluded read/membership.sql
--! Included read/scope.sql
-- A nested path narrows its last collection to the rows that the chain of parents reaches; every link is checked.
create or replace function service.scope(path jsonb, alias text) returns text
  language plpgsql stable as $$
declare
  depth integer := jsonb_array_length(path);
  parent text;
  parent_alias text := alias || 'p';
  relation service.relations;
begin
  if depth < 3 then
    return null;
  end if;
  parent := service.path_collection(path - (depth - 1) - (depth - 2));
  relation := service.find_relation(parent, path ->> (depth - 1));
  return (
    select format(' and exists (select from %I.%I %s%s where %s%s%s)', c.schema_name, c.table_name, parent_alias,
      case when relation.junction_table is null then '' else format(', %I.%I %sj', relation.junction_schema, relation.junction_table, parent_alias) end,
      case when relation.junction_table is null then service.column_pairs(alias, relation.target_columns, parent_alias, relation.local_columns)
        else service.column_pairs(alias, relation.target_columns, parent_alias || 'j', relation.junction_target) || ' and '
          || service.column_pairs(parent_alias || 'j', relation.junction_source, parent_alias, relation.local_columns) end,
      service.key_predicate(parent, parent_alias, path ->> (depth - 2)),
      coalesce(service.scope(path - (depth - 1) - (depth - 2), parent_alias), ''))
    from service.collections c where c.slug = parent);
end $$;

comment on function service.scope(jsonb, text) is
  'SQL text (beginning with and) that holds the rows of a nested path [slug, id, relation, …] to those its parents reach; null for a root path.';

revoke all on function service.scope(jsonb, text) from public;
--! EndIncluded read/scope.sql
--! Included read/readable.sql
create or replace function service.readable(property service.properties, roles text[]) returns boolean
  language sql immutable
  return property.read_roles is null
    or coalesce(property.read_roles && roles, false)
    or (coalesce('admin' = any (roles), false) and property.read_roles <> '{}');

comment on function service.readable(service.properties, text[]) is
  'Whether holders of these roles may read the property: no list means everybody, an empty list nobody, and admin may read whatever somebody may.';

revoke all on function service.readable(service.properties, text[]) from public;
--! EndIncluded read/readable.sql
--! Included read/search_predicate.sql
-- Substrings, case-insensitive, over the text columns that this caller may read. No such column: no row, never all.
create or replace function service.search_predicate(collection text, alias text, roles text[]) returns text
  language sql stable
begin atomic
  select case when count(*) = 0 then ' and false' else
    format(' and not exists (select from unnest(ctx.patterns) p where not coalesce(%s, false))',
      string_agg(format('coalesce(%s.%I ilike p, false)', alias, c.column_name), ' or ' order by c.position)) end
  from service.properties c
  where c.collection = search_predicate.collection and c.type = 'string' and not c.excluded and service.readable(c, roles)
    and c.sql_type in ('text', 'character varying', 'bpchar') and not c.attributes ? 'enum';
end;

comment on function service.search_predicate(text, text, text[]) is
  'SQL text (beginning with and) of a substring search: every pattern of ctx.patterns matches in some text column that these roles may read.';

revoke all on function service.search_predicate(text, text, text[]) from public;
--! EndIncluded read/search_predicate.sql
--! Included read/vector_predicate.sql
create or replace function service.vector_predicate(collection text, alias text, vector jsonb, roles text[]) returns text
  language sql stable
  return format(case when vector ? 'threshold' then ' and %s < $%s::double precision' else ' and coalesce(%s, 0) is not null' end,
    service.vector_distance(collection, alias, vector, roles), vector ->> 'threshold');

comment on function service.vector_predicate(text, text, jsonb, text[]) is
  'SQL text (beginning with and) that holds rows to those nearer than the threshold; without one it holds all, and still reads the vector, so that a wrong one is refused.';

revoke all on function service.vector_predicate(text, text, jsonb, text[]) from public;
--! EndIncluded read/vector_predicate.sql
--! Included read/narrowing.sql
-- What narrows a read besides its conditions; in the page, in its total, in counts and in aggregates alike.
create or replace function service.narrowing(collection text, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select concat(
    service.scope(shape -> 'path', 't'),
    case when shape ? 'search' then service.search_predicate(collection, 't', roles) end,
    case when shape ? 'vector' then service.vector_predicate(collection, 't', shape -> 'vector', roles) end,
    -- A collection that does not soft-delete has nothing in the trash.
    case shape ->> 'deleted' when 'only' then ' and false' end);
end;

comment on function service.narrowing(text, jsonb, text[]) is
  'SQL text (each part beginning with and) of what a read is held to by its path, its search, its vector threshold and its deleted parameter; '''' when nothing does.';

revoke all on function service.narrowing(text, jsonb, text[]) from public;
--! EndIncluded read/narrowing.sql
--! Included read/needs_entering.sql
-- The executor prunes partitions when it starts, before it runs anything, with the stable functions evaluated then: a
-- call that stands bare in a policy or a view would see the caller of no request. Inside (select …) it waits.
-- What counts is everything the statement reads, through policies and views too: from a policy that says "not exists"
-- pruned partitions would open rows, and one that equates its column with a partition's prunes there.
create or replace function service.needs_entering(statement text) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with recursive named as (
    select c.schema_name, c.table_name from service.collections c
    union
    select r.junction_schema, r.junction_table from service.relations r where r.junction_table is not null
  ), reads (oid) as (
    select to_regclass(format('%I.%I', n.schema_name, n.table_name))::oid
    from named n
    where position(format('%I.%I', n.schema_name, n.table_name) in needs_entering.statement) > 0
    union
    select coalesce(partitioned.oid, d.refobjid)
    from reads r
    join (
      select 'pg_policy'::regclass as classid, p.oid as objid, p.polrelid as relation from pg_policy p
      union all
      select 'pg_rewrite'::regclass, w.oid, w.ev_class from pg_rewrite w
    ) rule on rule.relation = r.oid
    join pg_depend d on d.classid = rule.classid and d.objid = rule.objid
    -- A SQL function in FROM is expanded into the query, and its text may name any table.
    left join pg_proc f on d.refclassid = 'pg_proc'::regclass and f.oid = d.refobjid and f.proretset
      and f.prolang = (select l.oid from pg_language l where l.lanname = 'sql')
    left join pg_class partitioned on f.oid is not null and partitioned.relkind = 'p'
    where d.refclassid = 'pg_class'::regclass or partitioned.oid is not null
  ), expression (text) as (
    select pg_get_expr(p.polqual, p.polrelid) from reads r join pg_policy p on p.polrelid = r.oid
    union all
    select pg_get_viewdef(c.oid) from reads r join pg_class c on c.oid = r.oid and c.relkind = 'v'
  ), call (name) as (
    -- Without the (select …) that have no FROM: those are evaluated when they are first needed.
    select trim('"' from m[1])
    from expression e,
      regexp_matches(regexp_replace(e.text, '\( SELECT ((?!\sFROM\s)[^()]|\(([^()]|\(([^()]|\([^()]*\))*\))*\))*\)', '', 'g'), '("[^"]+"|[\w$]+)\(', 'g') m
  )
  select exists (select from reads r join pg_class c on c.oid = r.oid and c.relkind = 'p')
    and exists (
      select from call join pg_proc f on f.proname = call.name
      where f.provolatile = 's' and (f.pronamespace <> 'pg_catalog'::regnamespace or f.proname = 'current_setting'));
end;

comment on function service.needs_entering(text) is
  'Whether a compiled statement must run in a transaction that has entered before: it reads a partitioned table, itself or through policies and views, and one of those calls a stable function of its own (service.uid() …) outside (select …).';

revoke all on function service.needs_entering(text) from public;
--! EndIncluded read/needs_entering.sql
--! Included read/order_keys.sql
-- Every ordering ends on the key, descending, so it is total; a key that is asked for is not added again.
create or replace function service.order_keys(collection text, alias text, requested jsonb, roles text[])
  returns table (n bigint, field text, expression text, sql_type text, direction text, nulls text, nullable boolean)
  language plpgsql stable as $$
declare
  sort record;
  key record;
  property service.properties;
  sorted text[] := '{}';
begin
  n := 0;
  for sort in
    select k.value ->> 'field' as field, k.value ->> 'direction' as direction,
      coalesce(k.value ->> 'nulls', case k.value ->> 'direction' when 'desc' then 'first' else 'last' end) as nulls
    from jsonb_array_elements(requested) k
  loop
    key := service.sort_key(collection, alias, sort.field, roles);
    n := n + 1;
    field := sort.field;
    expression := key.expression;
    sql_type := key.sql_type;
    direction := sort.direction;
    nulls := sort.nulls;
    nullable := key.nullable;
    sorted := array_remove(sorted || key.property, null);
    return next;
  end loop;
  for property in
    select p.* from service.collections c, unnest(c.key) with ordinality k (name, m)
      join service.properties p on p.collection = order_keys.collection and p.name = k.name
    where c.slug = order_keys.collection and not p.name = any (sorted)
    order by k.m
  loop
    n := n + 1;
    field := null;
    expression := format('%s.%I', alias, property.column_name);
    sql_type := property.sql_type;
    direction := 'desc';
    nulls := 'first';
    nullable := not property.not_null;
    return next;
  end loop;
end $$;

comment on function service.order_keys(text, text, jsonb, text[]) is
  'The keys of an ordering, complete: requested [{field, direction, nulls}] resolved to expressions, then what is left of the collection''s key, descending (field null). GW400 as service.sort_key.';

revoke all on function service.order_keys(text, text, jsonb, text[]) from public;
--! EndIncluded read/order_keys.sql
--! Included read/next_cursor.sql
create or replace function service.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text) returns text
  language sql stable
begin atomic
  select format('concat(''true,"nextCursor":"'', service.cursor_seal(%L, %L, json_agg(json_build_array(%s)) filter (where %s = %s) -> 0), ''"'')', collection,
    coalesce(jsonb_agg(jsonb_build_array(k.field, k.direction, k.nulls) order by k.n) filter (where k.field is not null), '[]'::jsonb),
    -- A cursor's key is never null; where it can be (a view), '' stands for it and '=' before every other.
    string_agg(case when k.field is null and k.nullable then format('coalesce(''='' || %s::text, '''')', k.expression) else k.expression || '::text' end, ', ' order by k.n),
    row_number, page_size)
  from service.order_keys(collection, 't', shape -> 'orderBy', roles) k;
end;

comment on function service.next_cursor(text, jsonb, text[], text, text) is
  'SQL text of hasMore when there is more: true, and the signed cursor after the last served row, computed for that row only.';

revoke all on function service.next_cursor(text, jsonb, text[], text, text) from public;
--! EndIncluded read/next_cursor.sql
--! Included read/operand.sql
create or replace function service.operand(field text, condition jsonb,
  out operator text, out template text, out families text[], out negated text, out takes text, out parameter integer, out list boolean)
  language plpgsql stable as $$
begin
  select o.operator, o.template, o.families, o.negated, o.takes into operator, template, families, negated, takes
  from service.operators() o where o.operator = condition ->> 0;
  if operator is null then
    perform service.fail(400, 'UNKNOWN_FILTER_OPERATOR', format('There is no operator %s.', condition ->> 0),
      jsonb_build_object('field', field, 'operator', condition ->> 0, 'validOperators', (select jsonb_agg(o.operator) from service.operators() o)));
  end if;
  list := jsonb_typeof(condition -> 1) = 'array';
  parameter := case when list then condition -> 1 ->> 0 else condition ->> 1 end;
  if takes <> 'nothing' and (parameter is null or list <> (takes = 'list')) then
    perform service.fail(400, 'INVALID_WHERE', format('Operator %s on %s takes %s.', operator, field, case takes when 'list' then 'a list' else 'one value' end),
      jsonb_build_object('field', field, 'operator', operator));
  end if;
end $$;

comment on function service.operand(text, jsonb) is
  'A condition [operator, parameter] read: its row of service.operators(), the parameter''s number and whether it is a list ([number]). GW400 UNKNOWN_FILTER_OPERATOR {field, operator, validOperators}, INVALID_WHERE when the value is not what the operator takes.';

revoke all on function service.operand(text, jsonb) from public;
--! EndIncluded read/operand.sql
--! Included read/operand_types.sql
create or replace function service.operand_types(sql_type text) returns setof oid
  language sql stable
begin atomic
  with this as (
    select t.oid, t.typtype, t.typcategory from pg_type t where t.oid = service.base_type(to_regtype(operand_types.sql_type))
  )
  select t.oid from this t
  union
  select c.casttarget from this t join pg_cast c on c.castsource = t.oid and c.castcontext = 'i'
  union
  select case t.typtype when 'e' then 'anyenum'::regtype when 'r' then 'anyrange' when 'm' then 'anymultirange' when 'c' then 'record' else 'anyarray' end::oid
  from this t where t.typtype in ('e', 'r', 'm', 'c') or t.typcategory = 'A';
end;

comment on function service.operand_types(text) is 'The types whose operators serve a value of this type: its own, those it is cast to implicitly, and its polymorphic one.';

revoke all on function service.operand_types(text) from public;
--! EndIncluded read/operand_types.sql
--! Included read/operators.sql
-- One row an operator. left/right: the column expression (%1$s) and the value (%2$s) as they stand in the template.
-- families: the property types it applies to. negated: the operator whose absence it means across a relation.
create or replace function service.operators()
  returns table (operator text, template text, families text[], negated text, takes text)
  language sql immutable parallel safe
begin atomic
  select * from (values
    ('==',                 '%1$s = %2$s',             '{string,number,boolean,date}'::text[],              null,    'scalar'),
    ('!=',                 '%1$s <> %2$s',            '{string,number,boolean,date}',                      '==',    'scalar'),
    ('>',                  '%1$s > %2$s',             '{string,number,boolean,date}',                      null,    'scalar'),
    ('>=',                 '%1$s >= %2$s',            '{string,number,boolean,date}',                      null,    'scalar'),
    ('<',                  '%1$s < %2$s',             '{string,number,boolean,date}',                      null,    'scalar'),
    ('<=',                 '%1$s <= %2$s',            '{string,number,boolean,date}',                      null,    'scalar'),
    ('in',                 '%1$s = any (%2$s)',       '{string,number,boolean,date}',                      null,    'list'),
    ('not-in',             '%1$s <> all (%2$s)',      '{string,number,boolean,date}',                      'in',    'list'),
    ('array-contains',     '%1$s @> array[%2$s]',     '{array}',                                           null,    'scalar'),
    ('array-contains-any', '%1$s && %2$s',            '{array}',                                           null,    'list'),
    ('like',               '%1$s like %2$s',          '{string}',                                          null,    'text'),
    ('ilike',              '%1$s ilike %2$s',         '{string}',                                          null,    'text'),
    ('not-like',           '%1$s not like %2$s',      '{string}',                                          'like',  'text'),
    ('not-ilike',          '%1$s not ilike %2$s',     '{string}',                                          'ilike', 'text'),
    ('is-null',            '%1$s is null',            '{string,number,boolean,date,array,map,json,binary}', null,    'nothing'),
    ('is-not-null',        '%1$s is not null',        '{string,number,boolean,date,array,map,json,binary}', null,    'nothing')
  ) as o (operator, template, families, negated, takes);
end;

comment on function service.operators() is
  'The sixteen filter operators: their SQL template (%1$s column, %2$s value), the property types they apply to, the positive operator that a negative one denies across a relation, and what value they take.';

revoke all on function service.operators() from public;
--! EndIncluded read/operators.sql
--! Included read/order_by.sql
-- NULLS is written only where it differs from the direction's default, so that plain indexes match.
create or replace function service.order_by(collection text, alias text, requested jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select string_agg(
    k.expression || ' ' || k.direction
      || case when k.nullable and k.nulls <> case k.direction when 'desc' then 'first' else 'last' end then ' nulls ' || k.nulls else '' end,
    ', ' order by k.n)
  from service.order_keys(collection, alias, requested, roles) k;
end;

comment on function service.order_by(text, text, jsonb, text[]) is
  'SQL text after ORDER BY: the requested keys, then the collection''s key descending.';

revoke all on function service.order_by(text, text, jsonb, text[]) from public;
--! EndIncluded read/order_by.sql
--! Included read/page.sql
create or replace function service.page(collection text, shape jsonb, narrowing text, roles text[]) returns text
  language plpgsql stable as $$
declare
  base text := (select format('select %s from %I.%I t where ctx.ok', service.page_columns(collection, shape), c.schema_name, c.table_name) from service.collections c where c.slug = collection)
    || narrowing || coalesce(service.predicate(collection, 't', shape, roles), '');
  tail text := format(' order by %s limit %s', service.page_order(collection, shape, roles), shape -> 'limit' ->> 'bucket');
begin
  if shape ? 'after' then
    return (
      select string_agg(format('(%s%s%s)', base, branch, tail), ' union all ' order by n)
      from unnest(service.cursor_branches(collection, 't', shape, roles)) with ordinality b (branch, n));
  end if;
  return base || tail || coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '');
end $$;

comment on function service.page(text, jsonb, text, text[]) is
  'SQL text of the rows of one page, whole rows in order, one more than the limit at least. The limit stands rounded up as a literal, so that the planner sees its size and shapes stay few.';

revoke all on function service.page(text, jsonb, text, text[]) from public;
--! EndIncluded read/page.sql
--! Included read/page_columns.sql
-- Without fields there is the key in every row, and nothing to collapse.
create or replace function service.page_columns(collection text, shape jsonb) returns text
  language sql stable
  return case when shape ? 'distinct' and shape ? 'fields'
    then (select 'distinct ' || string_agg(format('t.%I', p.column_name), ', ' order by p.position)
      from service.properties p where p.collection = page_columns.collection and not p.excluded and shape -> 'fields' ?| array[p.name, p.column_name])
    else 't.*' end;

comment on function service.page_columns(text, jsonb) is 'SQL text of what a page selects: whole rows, or for a distinct read the named columns, each combination once.';

revoke all on function service.page_columns(text, jsonb) from public;
--! EndIncluded read/page_columns.sql
--! Included read/page_order.sql
-- A vector search is ordered by distance, whatever orderBy says. A distinct read has no key to end on; the columns that
-- it returns make its order total.
create or replace function service.page_order(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
begin
  if shape ? 'vector' then
    perform service.order_by(collection, 't', shape -> 'orderBy', roles);
    return format('%s, %s', service.vector_distance(collection, 't', shape -> 'vector', roles), service.order_by(collection, 't', null, roles));
  elsif not (shape ? 'distinct' and shape ? 'fields') then
    return service.order_by(collection, 't', shape -> 'orderBy', roles);
  end if;
  return (
    select string_agg(s.expression, ', ' order by s.step, s.n)
    from (
      select 1 as step, k.n, format('%s %s nulls %s', k.expression, k.direction, k.nulls) as expression
      from service.order_keys(collection, 't', shape -> 'orderBy', roles) k where k.field is not null
      union all
      select 2, p.position, format('t.%I', p.column_name)
      from service.properties p where p.collection = page_order.collection and not p.excluded and shape -> 'fields' ?| array[p.name, p.column_name]) s);
end $$;

comment on function service.page_order(text, jsonb, text[]) is 'SQL text after ORDER BY of a page: as requested and then by key; by distance for a vector search; by what is returned for a distinct read.';

revoke all on function service.page_order(text, jsonb, text[]) from public;
--! EndIncluded read/page_order.sql
--! Included read/path_collection.sql
create or replace function service.path_collection(path jsonb) returns text
  language plpgsql stable as $$
declare
  reached text := path ->> 0;
  relation service.relations;
begin
  if not exists (select from service.collections c where c.slug = reached and c.exposed) then
    perform service.fail(404, 'NOT_FOUND', 'No such collection.');
  end if;
  for i in 2 .. jsonb_array_length(path) - 1 by 2 loop
    relation := service.find_relation(reached, path ->> i);
    if relation.name is null then
      perform service.fail(404, 'UNKNOWN_RELATION', format('%s has no relation %s.', reached, path ->> i),
        jsonb_build_object('relation', path ->> i, 'collection', reached, 'validRelations', service.valid_relations(reached)));
    end if;
    reached := relation.target;
  end loop;
  return reached;
end $$;

comment on function service.path_collection(jsonb) is
  'The collection that a path [slug, id, relation, …] ends in. GW404 NOT_FOUND for an unknown slug, GW404 UNKNOWN_RELATION for a relation that its parent does not have.';

revoke all on function service.path_collection(jsonb) from public;
--! EndIncluded read/path_collection.sql
--! Included read/predicate.sql
create or replace function service.predicate(collection text, alias text, node jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  parts text[];
begin
  select array_agg(service.condition(collection, alias, field, condition, roles) order by n, m)
    into parts
  from jsonb_each(node -> 'where') with ordinality as w (field, conditions, n),
    jsonb_array_elements(conditions) with ordinality as c (condition, m);
  if node ? 'logical' then
    parts := parts || format('(%s)', service.logical(collection, alias, node -> 'logical', roles));
  end if;
  return ' and ' || nullif(array_to_string(parts, ' and '), '');
end $$;

comment on function service.predicate(text, text, jsonb, text[]) is
  'SQL text of everything that narrows a request or an include node ({where, logical}), beginning with and; null when nothing does.';

revoke all on function service.predicate(text, text, jsonb, text[]) from public;
--! EndIncluded read/predicate.sql
--! Included read/reached_by.sql
-- One column: an array from the rows above, which an index or a scan serves as the planner sees fit.
create or replace function service.reached_by(alias text, columns text[], parent_rows text, parent_columns text[]) returns text
  language sql immutable parallel safe
  return case when cardinality(columns) = 1
    then format('%s.%I = any (array(select p.%I from %I p))', alias, columns[1], parent_columns[1], parent_rows)
    else format('(%s) in (select %s from %I p)', service.column_list(alias, columns), service.column_list('p', parent_columns), parent_rows) end;

comment on function service.reached_by(text, text[], text, text[]) is
  'SQL text: these columns of the alias equal those columns of one of the parent rows.';

revoke all on function service.reached_by(text, text[], text, text[]) from public;
--! EndIncluded read/reached_by.sql
--! Included read/related_condition.sql
create or replace function service.related_condition(relation service.relations, alias text, field text, condition jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  target_alias text := alias || 'x';
  negated text := (service.operand(relation.name || '.' || field, condition)).negated;
  property service.properties := coalesce(service.find_property(relation.target, field), service.find_property(relation.target, split_part(field, '->', 1)));
begin
  if relation.kind = 'via' then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER', format('Fields of the relation %s cannot be filtered.', relation.name),
      jsonb_build_object('field', relation.name || '.' || field, 'collection', relation.collection, 'relation', relation.name, 'kind', relation.kind));
  end if;
  perform service.require_relation_readable(relation, roles);
  -- A second hop is a field that the target has not.
  if property.name is null then
    perform service.fail(400, 'UNKNOWN_FILTER_FIELD', format('%s, which %s.%s leads to, has no field %s.', relation.target, relation.collection, relation.name, field),
      jsonb_build_object('field', relation.name || '.' || field, 'collection', relation.collection, 'relation', relation.name,
        'targetCollection', relation.target, 'validFields', service.valid_fields(relation.target, roles)));
  end if;
  return format('%s (select from %s and %s)', case when negated is null then 'exists' else 'not exists' end,
    service.relation_from(relation, alias, target_alias),
    service.condition(relation.target, target_alias, field, case when negated is null then condition else jsonb_set(condition, '{0}', to_jsonb(negated)) end, roles));
end $$;

comment on function service.related_condition(service.relations, text, text, jsonb, text[]) is
  'SQL text of a condition on a column of a relation, one hop: some related row matches; for a negative operator, no related row does. GW400 UNKNOWN_FILTER_FIELD with the target''s fields, UNSUPPORTED_RELATION_FILTER for a via relation.';

revoke all on function service.related_condition(service.relations, text, text, jsonb, text[]) from public;
--! EndIncluded read/related_condition.sql
--! Included read/relation_from.sql
create or replace function service.relation_from(relation service.relations, source_alias text, target_alias text) returns text
  language sql stable
begin atomic
  select case
    when relation.junction_table is null then
      format('%I.%I %s where %s', c.schema_name, c.table_name, target_alias,
        service.column_pairs(target_alias, relation.target_columns, source_alias, relation.local_columns))
    else
      format('%I.%I %5$sj join %3$I.%4$I %5$s on %6$s where %7$s', relation.junction_schema, relation.junction_table, c.schema_name, c.table_name, target_alias,
        service.column_pairs(target_alias, relation.target_columns, target_alias || 'j', relation.junction_target),
        service.column_pairs(target_alias || 'j', relation.junction_source, source_alias, relation.local_columns))
  end
  from service.collections c
  where c.slug = relation.target;
end;

comment on function service.relation_from(service.relations, text, text) is
  'SQL text after FROM that reaches the related rows (alias target) of one row (alias source), with its WHERE begun.';

revoke all on function service.relation_from(service.relations, text, text) from public;
--! EndIncluded read/relation_from.sql
--! Included read/require_cursor.sql
-- The signature is checked when the statement runs; here, that what the cursor says it continues is this order, and
-- an order that this collection still has.
create or replace function service.require_cursor(collection text, shape jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  code text;
begin
  if shape -> 'after' -> 'keys' <> coalesce((
    select jsonb_agg(jsonb_build_array(k.value -> 'field', k.value -> 'direction',
      coalesce(k.value ->> 'nulls', case k.value ->> 'direction' when 'desc' then 'first' else 'last' end)) order by k.ordinality)
    from jsonb_array_elements(shape -> 'orderBy') with ordinality k), '[]') then
    perform service.fail(400, 'CURSOR_ORDER_MISMATCH', 'The cursor was issued under another order.',
      jsonb_build_object('orderBy', coalesce(shape -> 'orderBy', '[]'), 'cursor', shape -> 'after' -> 'keys'));
  end if;
  perform service.sort_key(collection, 't', k.value ->> 0, roles) from jsonb_array_elements(shape -> 'after' -> 'keys') k;
exception when sqlstate 'GW400' then
  get stacked diagnostics code = pg_exception_hint;
  if code in ('UNKNOWN_ORDER_BY_FIELD', 'ORDER_BY_FIELD_NOT_SORTABLE') then
    perform service.fail(400, 'INVALID_CURSOR', 'The cursor is of an order that this collection does not have.');
  end if;
  raise;
end $$;

comment on function service.require_cursor(text, jsonb, text[]) is
  'Nothing, or GW400 CURSOR_ORDER_MISMATCH when shape.after was issued under another order than shape.orderBy, INVALID_CURSOR when it names a field that cannot be sorted by (any more).';

revoke all on function service.require_cursor(text, jsonb, text[]) from public;
--! EndIncluded read/require_cursor.sql
--! Included read/require_readable.sql
create or replace function service.require_readable(property service.properties, roles text[]) returns void
  language plpgsql stable as $$
begin
  if not service.readable(property, roles) then
    perform service.fail(400, 'FIELD_NOT_READABLE', format('Field %s of %s cannot be read by this caller.', property.name, property.collection),
      jsonb_build_object('collection', property.collection, 'fields', jsonb_build_array(property.name),
        'violations', jsonb_build_array(jsonb_build_object('field', property.name, 'code', 'access', 'message', 'Reading it needs another role.'))));
  end if;
end $$;

comment on function service.require_readable(service.properties, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE with details {collection, fields, violations} when these roles may not read the property.';

revoke all on function service.require_readable(service.properties, text[]) from public;
--! EndIncluded read/require_readable.sql
--! Included read/require_relation_readable.sql
-- To follow a belongsTo is to read its foreign key.
create or replace function service.require_relation_readable(relation service.relations, roles text[]) returns void
  language plpgsql stable as $$
declare
  column_name text;
begin
  if relation.kind = 'belongsTo' then
    foreach column_name in array relation.local_columns loop
      perform service.require_readable(service.find_column(relation.collection, column_name), roles);
    end loop;
  end if;
end $$;

comment on function service.require_relation_readable(service.relations, text[]) is 'Nothing, or GW400 FIELD_NOT_READABLE when these roles may not read the foreign key of a belongsTo.';

revoke all on function service.require_relation_readable(service.relations, text[]) from public;
--! EndIncluded read/require_relation_readable.sql
--! Included read/row_columns.sql
-- An unreadable column is left out, never null. The key is always there, but in a distinct read, which returns just what it names. A relation that is included under a column's
-- own name stands in for it.
create or replace function service.row_columns(collection text, alias text, node jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  field text;
  included text[] := array(select i.name from service.included_relations(collection, node, roles) i);
  property service.properties;
begin
  for field in select jsonb_array_elements_text(node -> 'fields') loop
    property := service.find_property(collection, field);
    if property.name is null and not field = any (included)
      and not exists (select from service.properties p where p.collection = row_columns.collection and p.name = field and p.excluded) then
      perform service.fail(400, 'UNKNOWN_FIELD', format('%s has no field %s.', collection, field), jsonb_build_object('field', field, 'collection', collection));
    end if;
    if property.name is not null then
      perform service.require_readable(property, roles);
    end if;
  end loop;
  return (
    select string_agg(format('%s as %I', service.column_value(format('%s.%I', alias, p.column_name), p.sql_type), p.name), ', ' order by p.position)
    from service.properties p
    join service.collections c on c.slug = p.collection
    where p.collection = row_columns.collection
      and not p.excluded
      and service.readable(p, roles)
      and (node -> 'fields' is null or (p.name = any (c.key) and not node ? 'distinct') or node -> 'fields' ?| array[p.name, p.column_name])
      and not p.name = any (included));
end $$;

comment on function service.row_columns(text, text, jsonb, text[]) is
  'SQL text of the columns of a row under their wire names, as these roles may read them and as fields asks. GW400 UNKNOWN_FIELD {field, collection}, FIELD_NOT_READABLE.';

revoke all on function service.row_columns(text, text, jsonb, text[]) from public;
--! EndIncluded read/row_columns.sql
--! Included read/shown_row.sql
-- afterRead is called by the statement that reads, for each row as this caller reads it, wherever the row appears.
create or replace function service.shown_row(collection text, alias text) returns text
  language sql stable
  return case
    -- Without the question service.callbacks, which looks through pg_proc, would be asked at every compilation.
    when not exists (select from service.collections s where s.slug = shown_row.collection and s.callbacks ? 'afterRead') then alias || '.*'
    else (
      select format('%I.%I(row_to_json(%s.*))', c.function_schema, c.function_name, alias)
      from service.callbacks() c where c.collection = shown_row.collection and c.hook = 'afterRead')
  end;

comment on function service.shown_row(text, text) is
  'SQL text of a row as to_json and json_agg take it: the row itself, or the JSON object it becomes when it is passed through the collection''s afterRead callback where it has one.';

revoke all on function service.shown_row(text, text) from public;
--! EndIncluded read/shown_row.sql
--! Included read/sort_aggregate.sql
-- count(orders), max(orders.total): an aggregate over a row's related rows, as this caller sees them.
create or replace function service.sort_aggregate(collection text, alias text, field text, roles text[], out expression text, out sql_type text)
  language plpgsql stable as $$
declare
  parts text[] := regexp_match(field, '^\s*(count|min|max|sum|avg)\s*\(\s*([^.()]+?)\s*(?:\.([^()]+?))?\s*\)\s*$');
  relation service.relations := service.find_relation(collection, parts[2]);
  property service.properties := service.find_property(relation.target, parts[3]);
begin
  if relation.name is null or (parts[3] is not null and property.name is null) then
    perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s has no %s to sort by.', collection, field),
      jsonb_build_object('field', field, 'collection', collection, 'validRelations', service.valid_relations(collection)));
  elsif relation.kind = 'via' or (parts[3] is null and parts[1] <> 'count')
    or (parts[1] in ('sum', 'avg') and property.type <> 'number')
    or (parts[1] in ('min', 'max') and not service.is_sortable(property.sql_type))
    or (select cardinality(c.key) > 1 from service.collections c where c.slug = collection) then
    perform service.fail(400, 'ORDER_BY_FIELD_NOT_SORTABLE', format('%s cannot be sorted by %s.', collection, field),
      jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service.require_relation_readable(relation, roles);
  if property.name is not null then
    perform service.require_readable(property, roles);
  end if;
  expression := format('(select %s(%s) from %s)', parts[1],
    case when property.name is null then '*' else format('%sa.%I', alias, property.column_name) end, service.relation_from(relation, alias, alias || 'a'));
  sql_type := case parts[1] when 'count' then 'bigint' when 'sum' then 'numeric' when 'avg' then 'numeric' else property.sql_type end;
  if parts[1] in ('sum', 'avg') then
    expression := expression || '::numeric';
  end if;
end $$;

comment on function service.sort_aggregate(text, text, text, text[]) is
  'SQL text and type of a sort key fn(relation[.field]). GW400 UNKNOWN_ORDER_BY_FIELD, ORDER_BY_FIELD_NOT_SORTABLE, FIELD_NOT_READABLE.';

revoke all on function service.sort_aggregate(text, text, text, text[]) from public;
--! EndIncluded read/sort_aggregate.sql
--! Included read/sort_key.sql
create or replace function service.sort_key(collection text, alias text, field text, roles text[],
  out expression text, out sql_type text, out nullable boolean, out property text)
  language plpgsql stable as $$
declare
  aggregate record;
  sorted service.properties;
begin
  if field ~ '^\s*(count|min|max|sum|avg)\s*\(' and (service.find_property(collection, field)).name is null then
    aggregate := service.sort_aggregate(collection, alias, field, roles);
    expression := aggregate.expression;
    sql_type := aggregate.sql_type;
    nullable := aggregate.sql_type <> 'bigint' or field !~ '^\s*count';
  else
    sorted := service.sort_property(collection, field, roles);
    expression := format('%s.%I', alias, sorted.column_name);
    sql_type := sorted.sql_type;
    nullable := not sorted.not_null;
    property := sorted.name;
  end if;
end $$;

comment on function service.sort_key(text, text, text, text[]) is
  'What one key of an ordering sorts by: SQL text and type, whether it can be NULL, and the property when it is one. GW400 as service.sort_property and service.sort_aggregate.';

revoke all on function service.sort_key(text, text, text, text[]) from public;
--! EndIncluded read/sort_key.sql
--! Included read/sort_property.sql
create or replace function service.sort_property(collection text, field text, roles text[]) returns service.properties
  language plpgsql stable as $$
declare
  property service.properties := service.find_property(collection, field);
  relation service.relations := service.find_relation(collection, field);
begin
  if property.name is null and relation.kind = 'belongsTo' and cardinality(relation.local_columns) = 1 then
    property := service.find_column(collection, relation.local_columns[1]);
  end if;
  if property.name is null and relation.name is null then
    perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s has no field %s to sort by.', collection, field),
      jsonb_build_object('field', field, 'collection', collection, 'validFields', service.valid_fields(collection, roles)));
  elsif property.name is null or property.type in ('map', 'vector', 'geopoint', 'binary') or not service.is_sortable(property.sql_type) then
    perform service.fail(400, 'ORDER_BY_FIELD_NOT_SORTABLE', format('%s cannot be sorted by %s.', collection, field),
      jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service.require_readable(property, roles);
  return property;
end $$;

comment on function service.sort_property(text, text, text[]) is
  'The property that a sort key names: a column, or the foreign key of a belongsTo. GW400 UNKNOWN_ORDER_BY_FIELD, ORDER_BY_FIELD_NOT_SORTABLE (to-many relations, and types without an order), FIELD_NOT_READABLE.';

revoke all on function service.sort_property(text, text, text[]) from public;
--! EndIncluded read/sort_property.sql
--! Included read/statement_aggregate.sql
-- Grouped rows come in the order of their groups unless the request says otherwise; limit and offset count groups.
create or replace function service.statement_aggregate(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  groups text := service.group_columns(collection, shape, roles, false);
  source text := (
    select format('%I.%I t where ctx.ok%s%s', c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || 'select concat(''{"data":'', coalesce(json_agg(d.*), ''[]''), ''}'') as body from (select %s%s from %s%s) d) r',
    service.context_columns(shape),
    coalesce(service.group_columns(collection, shape, roles, true) || ', ', ''),
    service.aggregate_columns(collection, shape, roles),
    source,
    case when groups is null then '' else format(' group by %s order by %s limit $%s::bigint%s', groups, service.aggregate_order(collection, shape),
      shape -> 'limit' ->> 'param', coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '')) end);
end $$;

comment on function service.statement_aggregate(text, jsonb, text[]) is
  'The statement of an aggregate: body = {"data":[{group fields, count, sum_total …}]}; one row without groupBy.';

revoke all on function service.statement_aggregate(text, jsonb, text[]) from public;
--! EndIncluded read/statement_aggregate.sql
--! Included read/statement_count.sql
create or replace function service.statement_count(collection text, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select format('select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral (select concat(''{"count":'', count(*), ''}'') as body from %I.%I t where ctx.ok%s%s) r',
    service.context_columns(shape), c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
  from service.collections c where c.slug = collection;
end;

comment on function service.statement_count(text, jsonb, text[]) is 'The statement of a count: body = {"count":128}.';

revoke all on function service.statement_count(text, jsonb, text[]) from public;
--! EndIncluded read/statement_count.sql
--! Included read/statement_get.sql
create or replace function service.statement_get(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  path jsonb := shape -> 'path';
  rest record := service.include(collection, 'page', shape, roles);
  row_columns text := service.row_columns(collection, 't', shape, roles) || rest.columns;
  rows text := (
    select format('select t.* from %I.%I t where ctx.ok%s%s%s', c.schema_name, c.table_name,
      service.key_predicate(collection, 't', path ->> -1), service.narrowing(collection, jsonb_set(shape, '{path}', path - -1), roles),
      coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  return format('select to_json(%s) as body from (select service.enter($1) as ok offset 0) ctx cross join lateral (%sselect d.* from %s t%s cross join lateral (select %s) d offset 0) r',
    service.shown_row(collection, 'r'),
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns);
end $$;

comment on function service.statement_get(text, jsonb, text[]) is
  'The statement of a single row: body is the row as a JSON object; no row when it does not exist, is hidden by row security, lies outside its parents, or does not match the filters.';

revoke all on function service.statement_get(text, jsonb, text[]) from public;
--! EndIncluded read/statement_get.sql
--! Included read/statement_list.sql
-- The page is fetched with one row more than asked for: that row says whether there is another page, and spares the
-- count when it is not there. The exact limit is a condition on the row number, which stops the scan as LIMIT would: as
-- LIMIT $n it makes a generic plan expect a tenth of the page, and scan 50,000 rows of an index for 51 (5.8 ms for 0.7).
create or replace function service.statement_list(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  narrowing text := service.narrowing(collection, shape, roles);
  rest record := service.include(collection, 'page', shape, roles);
  row_columns text := service.row_columns(collection, 't', shape, roles) || service.distance_column(collection, 't', shape, roles) || rest.columns;
  row_number text := quote_ident(service.unused_prefix(collection) || 'n');
  rows text := format('select * from (select t.*, row_number() over () as %1$s from (%2$s) t) t where t.%1$s <= $%3$s::bigint + 1', row_number, service.page(collection, shape, narrowing, roles), shape -> 'limit' ->> 'param');
  page_size text := format('$%s::bigint', shape -> 'limit' ->> 'param');
  page_offset text := coalesce('$' || (shape ->> 'offset') || '::bigint', '0');
begin
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || '%sselect concat(''{"data":'', coalesce(json_agg(%12$s%3$s) filter (where t.%s <= %s)::text, ''[]''), ''%s'
      || '"limit":'', %5$s, '',"offset":'', %7$s, '',"hasMore":'', case when count(*) > %5$s then %8$s else ''false'' end, ''}}'') as body '
      || 'from %9$s t%10$s cross join lateral (select %11$s) d) r',
    case when shape ? 'after' then format(', service.cursor_open(%L, $%s) as cursor', collection, shape -> 'after' ->> 'param') else '' end || service.context_columns(shape),
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    case when rest.ctes = '' then '' else ' order by t.' || row_number end,
    row_number,
    page_size,
    ',"meta":{' || case when shape ->> 'count' = 'none' then '' else '"total":'', ' || service.total(collection, shape, narrowing, roles, page_size, page_offset) || ', '',' end,
    page_offset,
    case when shape ?| array['vector', 'distinct'] then '''true''' else service.next_cursor(collection, shape, roles, 't.' || row_number, page_size) end,
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns,
    service.shown_row(collection, 'd'));
end $$;

comment on function service.statement_list(text, jsonb, text[]) is
  'The statement of a list: one row, one column body = {"data":[…],"meta":{total, limit, offset, hasMore, nextCursor}}.';

revoke all on function service.statement_list(text, jsonb, text[]) from public;
--! EndIncluded read/statement_list.sql
--! Included read/total.sql
-- A page that has no next one, and was not reached by a cursor, knows the total; else it is counted under the very
-- same predicate. "estimated" stops counting at 10,001, which never says more than row security allows.
create or replace function service.total(collection text, shape jsonb, narrowing text, roles text[], page_size text, page_offset text) returns text
  language plpgsql stable as $$
declare
  counted text := (
    select format('(select count(*) from (select%s from %I.%I t where ctx.ok%s%s%s) c)',
      case when shape ? 'distinct' and shape ? 'fields' then ' ' || service.page_columns(collection, shape) else '' end, c.schema_name, c.table_name, narrowing,
      coalesce(service.predicate(collection, 't', shape, roles), ''), case when shape ->> 'count' = 'estimated' then ' limit 10001' else '' end)
    from service.collections c where c.slug = collection);
begin
  return case when shape ? 'after' then counted
    else format('case when count(*) <= %s and (count(*) > 0 or %s = 0) then %2$s + count(*) else %s end', page_size, page_offset, counted) end;
end $$;

comment on function service.total(text, jsonb, text, text[], text, text) is
  'SQL text of meta.total, for use beside count(*) over the page.';

revoke all on function service.total(text, jsonb, text, text[], text, text) from public;
--! EndIncluded read/total.sql
--! Included read/unused_prefix.sql
-- Whole rows travel through the statement beside columns of ours, and a table may have a column of any name.
create or replace function service.unused_prefix(collection text) returns text
  language plpgsql stable as $$
begin
  return (
    select repeat('~', 1 + coalesce(max(length(substring(a.attname::text from '^~*'))), 0))
    from service.collections c
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(format('%I.%I', c.schema_name, c.table_name)) and a.attnum > 0
    where c.slug = unused_prefix.collection);
end $$;

comment on function service.unused_prefix(text) is 'What names of ours begin with, so that no column of the collection''s table has them: ~, or more tildes.';

revoke all on function service.unused_prefix(text) from public;
--! EndIncluded read/unused_prefix.sql
--! Included read/valid_fields.sql
create or replace function service.valid_fields(collection text, roles text[]) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(p.name order by p.position), '[]'::jsonb)
  from service.properties p
  where p.collection = valid_fields.collection and not p.excluded and service.readable(p, roles);
end;

comment on function service.valid_fields(text, text[]) is
  'The field names that an error message may offer to holders of these roles, as a JSON array in the order of the columns.';

revoke all on function service.valid_fields(text, text[]) from public;
--! EndIncluded read/valid_fields.sql
--! Included read/valid_relations.sql
create or replace function service.valid_relations(collection text) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(r.name order by r.name), '[]'::jsonb) from service.relations r where r.collection = valid_relations.collection;
end;

comment on function service.valid_relations(text) is 'The relation names of a collection, as a JSON array for error details.';

revoke all on function service.valid_relations(text) from public;
--! EndIncluded read/valid_relations.sql
--! Included read/vector_property.sql
create or replace function service.vector_property(collection text, field text, roles text[]) returns service.properties
  language plpgsql stable as $$
declare
  property service.properties := service.find_property(collection, field);
begin
  if property.name is null and service.vector_schema() is null
    and exists (select from service.properties p where p.collection = vector_property.collection and p.name = field and p.type = 'vector') then
    perform service.fail(501, 'FEATURE_DISABLED', format('%s.%s is left out: the database server does not have the extension vector (pgvector).', collection, field),
      jsonb_build_object('feature', 'vector search', 'extension', 'vector', 'field', field, 'collection', collection));
  end if;
  if property.type is distinct from 'vector' then
    perform service.fail(400, 'UNKNOWN_VECTOR_PROPERTY', format('%s has no vector property %s.', collection, field), jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service.require_readable(property, roles);
  return property;
end $$;

comment on function service.vector_property(text, text, text[]) is 'The vector property of a collection by its name. GW400 UNKNOWN_VECTOR_PROPERTY {field, collection}, FIELD_NOT_READABLE; GW501 FEATURE_DISABLED {feature, extension, field, collection} for one that a server without pgvector leaves out.';

revoke all on function service.vector_property(text, text, text[]) from public;
--! EndIncluded read/vector_property.sql
--! Included rules/unusable_because.sql
-- A policy may be fine by itself and still fail every request: one that asks its own table recurses, directly or
-- through another's policies, and one may read what service_user must not. EXPLAIN meets both without touching a row.
create or replace function service.unusable_because(relation regclass) returns text
  language plpgsql volatile as $$
declare
  role_before text := current_setting('role');
  command record;
  any_column text := (select quote_ident(a.attname) from pg_catalog.pg_attribute a where a.attrelid = relation and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = '' order by a.attnum desc limit 1);
begin
  if not pg_has_role(current_user, 'service_user', 'member') then
    return null;
  end if;
  perform set_config('role', 'service_user', true);
  for command in values ('select', 'select from %1$s'), ('insert', 'insert into %1$s default values'), ('update', 'update %1$s set %2$s = %2$s'), ('delete', 'delete from %1$s') loop
    if has_table_privilege(relation, command.column1) and (any_column is not null or command.column1 <> 'update') then
      execute 'explain ' || format(command.column2, relation, any_column);
    end if;
  end loop;
  perform set_config('role', role_before, true);
  return null;
exception when others then
  return sqlerrm;
end $$;

comment on function service.unusable_because(regclass) is
  'Why no request could read or write a table, whatever its rows: policies that recurse, or read what service_user may not. Null when requests can, and when this session may not become service_user.';

revoke all on function service.unusable_because(regclass) from public;
--! EndIncluded rules/unusable_because.sql
--! Included write/disagreeing_fields.sql
create or replace function service.disagreeing_fields(body jsonb, plan jsonb) returns table (field text, message text)
  language plpgsql stable as $$
begin
  if not plan ? 'twice' then
    return;
  end if;
  return query
    select array_to_string(array_agg(f.field order by f.field), ', '), format('%s mean the same and say different things.', string_agg(f.field, ' and ' order by f.field))
    from jsonb_to_recordset(plan -> 'fields') f (field text, "column" text, unwraps text)
    where body ? f.field
    group by f."column"
    having count(distinct coalesce(service.unwrapped(body -> f.field, f.unwraps) #>> '{}', '')) > 1;
end $$;

comment on function service.disagreeing_fields(jsonb, jsonb) is
  'The names of a column that is sent by two of them (a belongsTo and its foreign key) with different values.';

revoke all on function service.disagreeing_fields(jsonb, jsonb) from public;
--! EndIncluded write/disagreeing_fields.sql
--! Included write/unwrapped.sql
-- An object without an id stays what it is, and is then no value of the column's type.
create or replace function service.unwrapped(value jsonb, field text) returns jsonb
  language sql immutable parallel safe
  return case when field is null or jsonb_typeof(value) <> 'object' then value
    else coalesce(nullif(coalesce(value -> field, value -> 'id'), 'null'), value) end;

comment on function service.unwrapped(jsonb, text) is 'The id of a related row that is sent as an object; any other value as it is.';

revoke all on function service.unwrapped(jsonb, text) from public;
grant execute on function service.unwrapped(jsonb, text) to service_user;
--! EndIncluded write/unwrapped.sql
--! Included write/violations.sql
-- The rules of one value. null is exempt: required has its own test. Numeric text is judged as a number.
-- An empty map breaks no rule of its parts unless the map itself is required.
create or replace function service.violations(field text, value jsonb, type text, sql_type text, attributes jsonb)
  returns table (field_path text, code text, message text)
  language plpgsql stable as $$
declare
  rules jsonb := coalesce(attributes -> 'validation', '{}');
  text text := value #>> '{}';
  part record;
begin
  if value = 'null' then
    return;
  end if;
  if not service.fits_type(value, type, sql_type) then
    return query select violations.field, 'type', format('%s must be %s.', violations.field, service.type_in_words(type, sql_type));
    return;
  end if;
  if type = 'string' then
    text := service.normalized_text(text, rules);
  end if;
  if attributes ? 'enum' and not exists (select from jsonb_array_elements_text(attributes -> 'enum') e where case type when 'number' then e::numeric = text::numeric else e = text end) then
    return query select violations.field, 'enum', format('%s must be one of %s.', violations.field, (select string_agg(e, ', ') from jsonb_array_elements_text(attributes -> 'enum') e));
  end if;
  if rules <> '{}' or attributes ?| array['maxLength', 'email', 'url', 'dimensions'] then
    return query
      select violations.field, r.code, coalesce(case r.code when 'pattern' then rules ->> 'matchesMessage' end, r.message)
      from service.broken_rules(violations.field, value, type, text,
        rules || jsonb_strip_nulls(jsonb_build_object('email', attributes -> 'email', 'url', attributes -> 'url', 'dimensions', attributes -> 'dimensions',
          'max', coalesce(rules -> 'max', case type when 'string' then attributes -> 'maxLength' end)))) r;
  end if;
  if type = 'array' and attributes ? 'of' then
    return query
      select v.* from jsonb_array_elements(value) with ordinality e (item, n),
        service.violations(format('%s[%s]', violations.field, n - 1), item, attributes -> 'of' ->> 'type', null, attributes -> 'of') v;
  elsif type = 'map' and attributes ? 'properties' and jsonb_typeof(value) = 'object' and (value <> '{}' or rules -> 'required' = 'true') then
    for part in select p.key, p.value as attributes, coalesce(violations.value -> p.key, 'null') as value from jsonb_each(violations.attributes -> 'properties') p loop
      if part.value = 'null' and part.attributes -> 'validation' -> 'required' = 'true' then
        return query select format('%s.%s', violations.field, part.key), 'required', service.required_message(format('%s.%s', violations.field, part.key), part.attributes);
      end if;
      return query select v.* from service.violations(format('%s.%s', violations.field, part.key), part.value, part.attributes ->> 'type', null, part.attributes) v;
    end loop;
  end if;
end $$;

comment on function service.violations(text, jsonb, text, text, jsonb) is
  'The rules of its property that a sent value breaks, elements of arrays and parts of maps included, by path (tags[2], address.zip): code type, enum, required, or that of service.broken_rules.';

revoke all on function service.violations(text, jsonb, text, text, jsonb) from public;
--! EndIncluded write/violations.sql
--! Included write/body_violations.sql
create or replace function service.body_violations(body jsonb, plan jsonb, doubtful jsonb, uid text) returns jsonb
  language sql stable
begin atomic
  select jsonb_agg(jsonb_build_object('field', v.field, 'code', v.code, 'message', v.message) order by v.field, v.code)
  from (
    select j.field_path, j.code, j.message
    from jsonb_to_recordset(doubtful) f (field text, type text, "sqlType" text, rules jsonb, "maxLength" integer, unwraps text)
    cross join lateral service.violations(f.field, service.unwrapped(body -> f.field, f.unwraps), f.type, f."sqlType",
      coalesce(f.rules, '{}') || jsonb_strip_nulls(jsonb_build_object('maxLength', f."maxLength"))) j
    where f.type is not null
    union all
    select f.field, 'required', f.required
    from jsonb_to_recordset(doubtful) f (field text, required text, stamp boolean)
    where f.required is not null and case when f.stamp then uid = 'anonymous' else body -> f.field = 'null' end
    union all
    select m.field, m.code, m.message from jsonb_to_recordset(plan -> 'missing') m (field text, code text, message text)
    union all
    select t.field, 'conflict', t.message from service.disagreeing_fields(body, plan) t
  ) v (field, code, message);
end;

comment on function service.body_violations(jsonb, jsonb, jsonb, text) is
  'Every rule that a body breaks by the plan of its write, in its doubtful fields (service.doubtful_fields) and by what it leaves out: [{field, code, message}]: those of service.violations, required (also for a stamp of the caller when nobody is signed in), conflict; null when it breaks none.';

revoke all on function service.body_violations(jsonb, jsonb, jsonb, text) from public;
--! EndIncluded write/body_violations.sql
--! Included write/broken_rules.sql
-- One row a rule: the type it is for, its key, its code, what is said when it does not hold. Values and bounds are read
-- before, each as what its type makes of it: the planner computes what is constant in every branch of a CASE.
create or replace function service.broken_rules(field text, value jsonb, type text, text text, rules jsonb)
  returns table (code text, message text)
  language plpgsql stable as $$
declare
  is_date boolean := type = 'date';
  amount numeric := case type when 'number' then text::numeric end;
  moment timestamptz := case when is_date then text::timestamptz end;
  size integer := case when type = 'string' then char_length(text) when type in ('array', 'vector') then jsonb_array_length(value) end;
  smallest numeric := case when not is_date then (rules ->> 'min')::numeric end;
  largest numeric := case when not is_date then (rules ->> 'max')::numeric end;
  first timestamptz := case when is_date then (rules ->> 'min')::timestamptz end;
  last timestamptz := case when is_date then (rules ->> 'max')::timestamptz end;
begin
  return query
  select r.code, format(r.message, broken_rules.field, rules ->> r.rule)
  from (values
    ('string', 'length',        'length',       '%s must have %s characters.'),
    ('string', 'min',           'min_length',   '%s must have at least %s characters.'),
    ('string', 'max',           'max_length',   '%s must have at most %s characters.'),
    ('string', 'matches',       'pattern',      '%s does not match its pattern.'),
    ('string', 'email',         'email',        '%s must be an email address.'),
    ('string', 'url',           'url',          '%s must be an absolute URL.'),
    ('number', 'integer',       'integer',      '%s must be a whole number.'),
    ('number', 'positive',      'positive',     '%s must be above 0.'),
    ('number', 'negative',      'negative',     '%s must be below 0.'),
    ('number', 'min',           'min',          '%s must be at least %s.'),
    ('number', 'max',           'max',          '%s must be at most %s.'),
    ('number', 'moreThan',      'more_than',    '%s must be above %s.'),
    ('number', 'lessThan',      'less_than',    '%s must be below %s.'),
    ('date',   'min',           'date_min',     '%s must not be before %s.'),
    ('date',   'max',           'date_max',     '%s must not be after %s.'),
    ('array',  'min',           'min_items',    '%s must have at least %s items.'),
    ('array',  'max',           'max_items',    '%s must have at most %s items.'),
    ('array',  'uniqueInArray', 'unique_items', '%s must not repeat an item.'),
    ('vector', 'dimensions',    'type',         '%s must have %s numbers.')
  ) as r (type, rule, code, message)
  where case when r.type <> broken_rules.type or not rules ? r.rule or rules -> r.rule in ('null', 'false') then false
    else not coalesce(case r.code
      when 'length' then size = (rules ->> 'length')::numeric
      when 'min_length' then size >= smallest
      when 'max_length' then size <= largest
      when 'pattern' then text ~ service.pattern(rules ->> 'matches')
      when 'email' then text = '' or text ~ '^[^\s@]+@[^\s@]+\.[^\s@]+$'
      when 'url' then text = '' or rules -> 'url' not in ('true', '"url"') or text ~* '^[a-z][a-z0-9+.-]*:(//[^\s/]|(?!//)\S)\S*$'
      when 'integer' then amount = trunc(amount)
      when 'positive' then amount > 0
      when 'negative' then amount < 0
      when 'min' then amount >= smallest
      when 'max' then amount <= largest
      when 'more_than' then amount > (rules ->> 'moreThan')::numeric
      when 'less_than' then amount < (rules ->> 'lessThan')::numeric
      when 'date_min' then moment >= first
      when 'date_max' then moment <= last
      when 'min_items' then size >= smallest
      when 'max_items' then size <= largest
      when 'unique_items' then (select count(*) = count(distinct e) from jsonb_array_elements(case broken_rules.type when 'array' then value else '[]' end) e)
      when 'type' then size = (rules ->> 'dimensions')::numeric
    end, true) end;
end $$;

comment on function service.broken_rules(text, jsonb, text, text, jsonb) is
  'The declared rules of a property that one value breaks, with the code and the message of each: length, min_length, max_length, pattern, email, url, integer, positive, negative, min, max, more_than, less_than, date_min, date_max, min_items, max_items, unique_items; type for a vector of another length.';

revoke all on function service.broken_rules(text, jsonb, text, text, jsonb) from public;
--! EndIncluded write/broken_rules.sql
--! Included write/change.sql
-- Runs what the API would run, as whom it would run it. Role and identity are put back, so a DBA's transaction goes on
-- as it was.
create or replace function service.change(request jsonb, claims jsonb) returns json
  language plpgsql volatile set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set jit = off as $$
declare
  before text[] := array[current_setting('app.uid', true), current_setting('app.user_roles', true), current_setting('app.is_anonymous', true), current_setting('app.jwt', true)];
  role_before text := current_setting('role');
  body json;
begin
  perform set_config('role', 'service_user', true);
  body := service.write(claims::text, request);
  perform set_config('role', role_before, true),
    set_config('app.uid', coalesce(before[1], ''), true), set_config('app.user_roles', coalesce(before[2], ''), true),
    set_config('app.is_anonymous', coalesce(before[3], ''), true), set_config('app.jwt', coalesce(before[4], ''), true);
  return body;
end $$;

comment on function service.change(jsonb, jsonb) is
  'Runs a write request of service.write as the caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}): the body the API would send.';

revoke all on function service.change(jsonb, jsonb) from public;
--! EndIncluded write/change.sql
--! Included write/check_body.sql
-- In the order that clients are told of: operations that are not there, all broken rules at once; a moved key is left to
-- who knows whether the row exists.
create or replace function service.check_body(request jsonb, plan jsonb, doubtful jsonb, uid text) returns text[]
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  violations jsonb;
begin
  perform service.refuse_operations(request);
  violations := service.body_violations(request -> 'body', plan, doubtful, uid);
  if violations is not null then
    perform service.refuse_violations(request -> 'path' ->> 0, violations);
  end if;
  return service.moved_fields(request, plan);
end $$;

comment on function service.check_body(jsonb, jsonb, jsonb, text) is
  'Judges the values of a write by its plan, those of its doubtful fields: GW400 VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE as service.refuse_violations, INVALID_FIELD_OPERATION and GW501 as service.refuse_operations. Returns the names under which an update sends another key than that of its row; null when it does not.';

revoke all on function service.check_body(jsonb, jsonb, jsonb, text) from public;
grant execute on function service.check_body(jsonb, jsonb, jsonb, text) to service_user;
--! EndIncluded write/check_body.sql
--! Included write/column_type.sql
-- A domain's checks may call anything; its base type calls nothing.
create or replace function service.column_type(type oid, modifier integer) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select case t.typtype when 'd' then service.sql_type(t.oid) else format_type(t.oid, modifier) end from pg_type t where t.oid = column_type.type;
end;

comment on function service.column_type(oid, integer) is 'A column''s type with its length, as a value can be cast to it; of a domain the base type.';

revoke all on function service.column_type(oid, integer) from public;
--! EndIncluded write/column_type.sql
--! Included write/constraint_violations.sql
-- On the error path only.
create or replace function service.constraint_violations(request jsonb, problem jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  served service.collections;
  broken text[];
  code text := case problem ->> 'code' when '23505' then 'unique' when '23P01' then 'exclusion' when '23503' then 'foreign_key' when '23502' then 'required' when '23514' then 'check' when '22001' then 'max_length' else 'type' end;
  message text := case code when 'unique' then 'A row with this %s exists already.' when 'exclusion' then '%s is in conflict with another row.' when 'foreign_key' then '%s points to nothing.'
    when 'required' then '%s is required.' when 'check' then '%s breaks a rule of the database.' when 'max_length' then '%s is too long.' else '%s cannot be read as its type.' end;
begin
  select c.* into served from service.collections c where c.slug = request -> 'path' ->> 0;
  broken := case when code in ('type', 'max_length') then service.unreadable_columns(served, request) else service.refused_columns(served, problem) end;
  return (
    select jsonb_agg(jsonb_build_object('field', f.field, 'code', code, 'message', format(message, f.field)) order by f.field)
    from (
      select coalesce(s.field, p.name) as field
      from service.properties p
      left join lateral (
        select s.field from service.sent_fields(served, array(select jsonb_object_keys(request -> 'body'))) s
        where (s.property).column_name = p.column_name order by s.field limit 1
      ) s on true
      where p.collection = served.slug and not p.excluded and p.column_name = any (broken)
        -- Several columns may have the domain; one that was not sent is not to blame.
        and (s.field is not null or not problem ? 'type')
    ) f);
end $$;

comment on function service.constraint_violations(jsonb, jsonb) is
  'Which fields of a write the database refused, [{field, code, message}] under the names that were sent; null when that is not known. problem: {code (SQLSTATE), schema, table, column, constraint, type} of the error. Codes: unique, exclusion, foreign_key, required, check, max_length, type.';

revoke all on function service.constraint_violations(jsonb, jsonb) from public;
grant execute on function service.constraint_violations(jsonb, jsonb) to service_user;
--! EndIncluded write/constraint_violations.sql
--! Included write/create.sql
create or replace function service.create(collection text, body jsonb default '{}', claims jsonb default service.service_claims()) returns json
  language sql volatile
  return service.change(jsonb_build_object('op', 'create', 'path', jsonb_build_array(collection), 'body', body), claims);

comment on function service.create(text, jsonb, jsonb) is
  'The answer of POST /data/<collection> with this body, as JSON: the new row. claims: the caller, by default the service key. Errors as service.write.';

revoke all on function service.create(text, jsonb, jsonb) from public;
--! EndIncluded write/create.sql
--! Included write/doubtful_fields.sql
-- Most values have no rule but a type and a length, and keep it. A loop: 8 microseconds for five fields, where one query
-- over them takes 31.
create or replace function service.doubtful_fields(body jsonb, plan jsonb) returns jsonb
  language plpgsql stable as $$
declare
  fields jsonb := plan -> 'fields';
  field jsonb;
  value jsonb;
  doubtful jsonb := '[]';
begin
  for i in 0 .. coalesce(jsonb_array_length(fields), 0) - 1 loop
    field := fields -> i;
    value := service.unwrapped(body -> (field ->> 'field'), field ->> 'unwraps');
    if field ? 'stamp' or (case when value = 'null' then field ? 'required'
      else field ? 'rules' or not service.fits_type(value, field ->> 'type', field ->> 'sqlType') or char_length(value #>> '{}') > (field -> 'maxLength')::integer end)
    then
      doubtful := doubtful || field;
    end if;
  end loop;
  return doubtful;
end $$;

comment on function service.doubtful_fields(jsonb, jsonb) is
  'Those fields of a write plan whose values in this body may break a rule, for service.body_violations to judge; a JSON array.';

revoke all on function service.doubtful_fields(jsonb, jsonb) from public;
grant execute on function service.doubtful_fields(jsonb, jsonb) to service_user;
--! EndIncluded write/doubtful_fields.sql
--! Included write/fits_type.sql
-- Without subqueries, so that the planner puts it where it is called.
create or replace function service.fits_type(value jsonb, type text, sql_type text) returns boolean
  language sql immutable parallel safe
  return case type
    when 'string' then jsonb_typeof(value) = 'string' or (jsonb_typeof(value) = 'number' and sql_type is distinct from 'uuid')
    when 'number' then case
      when jsonb_typeof(value) <> 'number' and (jsonb_typeof(value) <> 'string' or (value #>> '{}') !~ '^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$') then false
      when sql_type in ('smallint', 'integer', 'bigint') then (value #>> '{}')::numeric = trunc((value #>> '{}')::numeric)
      else true
    end
    when 'boolean' then jsonb_typeof(value) = 'boolean' or value in ('"true"', '"false"')
    when 'date' then jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^\s*[-+]?\d'
    when 'array' then jsonb_typeof(value) = 'array'
    when 'map' then sql_type is not null or jsonb_typeof(value) = 'object'
    when 'geopoint' then coalesce(jsonb_typeof(value) = 'object' and jsonb_typeof(value -> 'latitude') = 'number' and jsonb_typeof(value -> 'longitude') = 'number', false)
    when 'vector' then jsonb_typeof(value) = 'array' and not jsonb_path_exists(value, 'strict $[*] ? (@.type() != "number")')
    when 'binary' then jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
    else true
  end;

comment on function service.fits_type(jsonb, text, text) is 'Whether a JSON value can be of a property type at all; numbers may be sent as text, booleans as ''true'' and ''false''. A whole number may be written 1.0.';

revoke all on function service.fits_type(jsonb, text, text) from public;
grant execute on function service.fits_type(jsonb, text, text) to service_user;
--! EndIncluded write/fits_type.sql
--! Included write/has_blank_key.sql
create or replace function service.has_blank_key(op text, body jsonb, sent_key jsonb) returns boolean
  language plpgsql immutable as $$
begin
  if op <> 'create' or sent_key is null then
    return false;
  end if;
  return exists (select from jsonb_array_elements_text(sent_key) k where body -> k in ('null', '""'));
end $$;

comment on function service.has_blank_key(text, jsonb, jsonb) is 'Whether a create sends a key, by one of these names, that is null or blank.';

revoke all on function service.has_blank_key(text, jsonb, jsonb) from public;
grant execute on function service.has_blank_key(text, jsonb, jsonb) to service_user;
--! EndIncluded write/has_blank_key.sql
--! Included write/sent_record.sql
create or replace function service.sent_record(fields text[], types text[]) returns text
  language sql immutable parallel safe
begin atomic
  select format('jsonb_to_record($1::jsonb) r (%s)', string_agg(format('%I %s', f.field, f.type), ', ' order by f.n))
  from unnest(fields, types) with ordinality f (field, type, n)
  where f.field is not null
  having count(*) > 0;
end;

comment on function service.sent_record(text[], text[]) is 'SQL text of the sent body ($1, text) as one record r of these fields; null without fields.';

revoke all on function service.sent_record(text[], text[]) from public;
--! EndIncluded write/sent_record.sql
--! Included write/undeclared_column.sql
create or replace function service.undeclared_column(served service.collections, column_name text) returns service.properties
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select row(served.slug, a.attname, a.attname, a.attnum, service.property_type(a.atttypid), service.sql_type(a.atttypid), a.attnotnull, false,
    a.attidentity = 'a' or a.attgenerated <> '', false, null, null, '{}')::service.properties
  from pg_attribute a
  where a.attrelid = to_regclass(format('%I.%I', served.schema_name, served.table_name)) and a.attname = undeclared_column.column_name
    and a.attnum > 0 and not a.attisdropped
    and not exists (select from service.properties p where p.collection = served.slug and p.column_name = a.attname);
end;

comment on function service.undeclared_column(service.collections, text) is
  'A column of the collection''s table that the collection does not declare, as a property under its own name; null when there is none.';

revoke all on function service.undeclared_column(service.collections, text) from public;
--! EndIncluded write/undeclared_column.sql
--! Included write/sent_fields.sql
-- A column goes by its wire name or its raw name, the wire name first; the foreign key of a belongsTo also by the
-- relation's name. A column that is not declared is known only where the collection says that its writes are not strict.
create or replace function service.sent_fields(served service.collections, names text[])
  returns table (field text, relation_kind text, unwraps text, property service.properties)
  language sql stable
begin atomic
  select n.field, r.kind, t.name, p.property
  from unnest(names) n (field)
  left join service.relations r on r.collection = served.slug and r.name = n.field
  left join service.properties t on r.kind = 'belongsTo' and cardinality(r.local_columns) = 1 and t.collection = r.target and t.column_name = r.target_columns[1]
  left join lateral (
    select p as property, case n.field when p.name then 1 when p.column_name then 2 else 3 end as rank
    from service.properties p
    where p.collection = served.slug and (n.field in (p.name, p.column_name) or (t.name is not null and p.column_name = r.local_columns[1]))
    union all
    select service.undeclared_column(served, n.field), 4 where not served.strict_writes
    order by rank
    limit 1
  ) p on true;
end;

comment on function service.sent_fields(service.collections, text[]) is
  'What the names in a body mean: relation_kind when it is a relation''s name, unwraps = the field that stands for a related row sent as an object, property = the column that is written (null: none).';

revoke all on function service.sent_fields(service.collections, text[]) from public;
--! EndIncluded write/sent_fields.sql
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
  elsif property.type = 'vector' and property.sql_type = 'vector' then
    read_as := coalesce(service.vector_schema(), 'public') || '.vector';
  end if;
end $$;

comment on function service.stored_expression(text, service.properties, text) is
  'SQL text of what a sent field (r.field) puts into its column, and the type to read it as.';

revoke all on function service.stored_expression(text, service.properties, text) from public;
--! EndIncluded write/stored_expression.sql
--! Included write/user_stamps.sql
create or replace function service.user_stamps(served service.collections, op text) returns table (column_name text, expression text)
  language sql stable
begin atomic
  select p.column_name, format('nullif(service.uid(), ''anonymous'')::%s', p.sql_type)
  from service.properties p
  where p.collection = served.slug
    and p.attributes ->> 'autoValue' = any (case op when 'create' then array['user_on_create', 'user_on_update'] else array['user_on_update'] end);
end;

comment on function service.user_stamps(service.collections, text) is
  'The columns that carry who wrote a row, and SQL text of what is put there: null for a visitor without a sign-in.';

revoke all on function service.user_stamps(service.collections, text) from public;
--! EndIncluded write/user_stamps.sql
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
  cross join lateral service.stored_expression(s.field, s.property, s.unwraps) e
  union all
  select u.column_name, u.expression, null, null from service.user_stamps(served, op) u;
end;

comment on function service.written_columns(service.collections, text, text[]) is
  'The columns that a body with these names writes: SQL text of the value, and the field and type that it is read from (null for a stamp).';

revoke all on function service.written_columns(service.collections, text, text[]) from public;
--! EndIncluded write/written_columns.sql
--! Included write/insert_statement.sql
-- Without the key nothing of the row is read, so that who may write and not read can.
create or replace function service.insert_statement(served service.collections, sent text[], returns_key boolean) returns text
  language sql stable
begin atomic
  select format('insert into %I.%I %s returning %s', served.schema_name, served.table_name,
    case when count(*) = 0 then 'default values'
      else format('(%s) select %s%s', string_agg(quote_ident(w.column_name), ', ' order by w.column_name), string_agg(w.expression, ', ' order by w.column_name),
        ' from ' || service.sent_record(array_agg(w.field order by w.column_name), array_agg(w.read_as order by w.column_name))) end,
    case when returns_key then (
      select string_agg(format('%I::text', p.column_name), ' || '':::'' || ' order by k.n)
      from unnest(served.key) with ordinality k (name, n) join service.properties p on p.collection = served.slug and p.name = k.name) else '''''' end)
  from service.written_columns(served, 'create', sent) w;
end;

comment on function service.insert_statement(service.collections, text[], boolean) is
  'SQL text that inserts a body ($1) with these names, and returns the new id as text when asked, else a blank.';

revoke all on function service.insert_statement(service.collections, text[], boolean) from public;
--! EndIncluded write/insert_statement.sql
--! Included write/is_readable_id.sql
-- An id that cannot be of the key's type names no row. Most ids are plain, and cost one look.
create or replace function service.is_readable_id(id text, key_types jsonb) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  parts text[] := case jsonb_array_length(key_types) when 1 then array[id] else string_to_array(id, ':::') end;
  type text;
begin
  if cardinality(parts) <> jsonb_array_length(key_types) then
    return false;
  end if;
  for i in 1 .. cardinality(parts) loop
    type := key_types ->> (i - 1);
    continue when case type
      when 'text' then true
      when 'smallint' then parts[i] ~ '^\d{1,4}$'
      when 'integer' then parts[i] ~ '^\d{1,9}$'
      when 'bigint' then parts[i] ~ '^\d{1,18}$'
      when 'uuid' then parts[i] ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
      else false
    end;
    execute format('select %L::%s', parts[i], type);
  end loop;
  return true;
exception when data_exception then
  return false;
end $$;

comment on function service.is_readable_id(text, jsonb) is 'Whether an id can be of the types of a key.';

revoke all on function service.is_readable_id(text, jsonb) from public;
grant execute on function service.is_readable_id(text, jsonb) to service_user;
--! EndIncluded write/is_readable_id.sql
--! Included write/is_required.sql
create or replace function service.is_required(served service.collections, property service.properties) returns boolean
  language sql immutable
  return property.required and not property.excluded and not property.name = any (served.key)
    and not property.attributes ?| array['autoValue', 'defaultValue'] and not served.callbacks ? 'beforeSave';

comment on function service.is_required(service.collections, service.properties) is 'Whether a create must send a property: nothing else would fill it.';

revoke all on function service.is_required(service.collections, service.properties) from public;
--! EndIncluded write/is_required.sql
--! Included write/required_message.sql
create or replace function service.required_message(field text, attributes jsonb) returns text
  language sql immutable parallel safe
  return coalesce(attributes ->> 'requiredMessage', attributes -> 'validation' ->> 'requiredMessage', field || ' is required.');

comment on function service.required_message(text, jsonb) is 'What is said when a required field is missing: the property''s own words, if it has any.';

revoke all on function service.required_message(text, jsonb) from public;
--! EndIncluded write/required_message.sql
--! Included write/value_rules.sql
create or replace function service.value_rules(attributes jsonb) returns jsonb
  language sql immutable parallel safe
  return nullif(jsonb_strip_nulls(jsonb_build_object(
    'validation', nullif(coalesce(attributes -> 'validation', '{}') - array['requiredMessage', 'unique'] - case when attributes ? 'properties' then '' else 'required' end, '{}'),
    'enum', attributes -> 'enum', 'email', attributes -> 'email', 'url', attributes -> 'url', 'dimensions', attributes -> 'dimensions',
    'of', attributes -> 'of', 'properties', attributes -> 'properties')), '{}');

comment on function service.value_rules(jsonb) is 'The attributes of a property that a value is judged by (service.violations), but for maxLength; null when there are none.';

revoke all on function service.value_rules(jsonb) from public;
--! EndIncluded write/value_rules.sql
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
    where p.collection = served.slug and p.not_null and p.column_name in (select u.column_name from service.user_stamps(served, op) u)
  ) f;
end;

comment on function service.judged_fields(service.collections, text, text[]) is
  'How the values of a body are judged, field by field: {field, column, type, sqlType?, unwraps?, rules?, maxLength?, required? (the message), key? (its place), stamp?}; null when there is nothing to judge.';

revoke all on function service.judged_fields(service.collections, text, text[]) from public;
--! EndIncluded write/judged_fields.sql
--! Included write/keep.sql
-- PostgreSQL plans a text anew each time that PL/pgSQL executes it: 0.2 ms for an insert and 0.3 ms for the read of its
-- reply, where a prepared statement takes 0.06 and 0.05 ms. A prepared statement outlives a rollback, the setting that
-- says that it is there does not.
create or replace function service.keep(plan jsonb) returns boolean
  language plpgsql volatile as $$
declare
  kept record;
begin
  if not plan ? 'kept' or current_setting('rowgate.' || (plan ->> 'kept'), true) = 'on' then
    return true;
  end if;
  for kept in
    select k.name, k.text
    from (values (plan ->> 'kept', plan ->> 'statement'), ((plan ->> 'kept') || '_reply', plan ->> 'reply')) k (name, text)
    where k.text is not null and not exists (select from pg_catalog.pg_prepared_statements p where p.name = k.name)
  loop
    execute format('prepare %I (text, text) as %s', kept.name, kept.text);
  end loop;
  return set_config('rowgate.' || (plan ->> 'kept'), 'on', false) = 'on';
end $$;

comment on function service.keep(jsonb) is
  'Prepares the statement and the reply of a write plan in this session, under the name that the plan says (kept, kept_reply), unless they are or it says none. True. Who calls it bounds how many a session keeps.';

revoke all on function service.keep(jsonb) from public;
grant execute on function service.keep(jsonb) to service_user;
--! EndIncluded write/keep.sql
--! Included write/missing_fields.sql
-- A key that is left out is the database's to make or to miss. A beforeSave callback may fill anything; then NOT NULL is the backstop.
create or replace function service.missing_fields(served service.collections, sent text[]) returns jsonb
  language sql stable
begin atomic
  select jsonb_agg(jsonb_build_object('field', m.field, 'code', 'required', 'message', service.required_message(m.field, p.attributes)) order by m.field)
  from service.properties p
  left join service.relations r on r.collection = p.collection and r.kind = 'belongsTo' and r.local_columns = array[p.column_name]
  cross join lateral (select coalesce(r.name, p.name)) m (field)
  where p.collection = served.slug and service.is_required(served, p)
    and not exists (select from service.sent_fields(served, sent) s where (s.property).column_name = p.column_name);
end;

comment on function service.missing_fields(service.collections, text[]) is
  'Violations [{field, code, message}] of the required fields that a create does not name; null when there are none.';

revoke all on function service.missing_fields(service.collections, text[]) from public;
--! EndIncluded write/missing_fields.sql
--! Included write/moved_fields.sql
create or replace function service.moved_fields(request jsonb, plan jsonb) returns text[]
  language plpgsql stable as $$
declare
  id text[] := case jsonb_array_length(plan -> 'keyTypes') when 1 then array[request -> 'path' ->> 1] else string_to_array(request -> 'path' ->> 1, ':::') end;
begin
  if request ->> 'op' <> 'update' or not plan ? 'sentKey' then
    return null;
  end if;
  return (
    select array_agg(f.field order by f.field)
    from jsonb_to_recordset(plan -> 'fields') f (field text, key integer, unwraps text)
    where f.key is not null and service.unwrapped(request -> 'body' -> f.field, f.unwraps) #>> '{}' is distinct from id[f.key]);
end $$;

comment on function service.moved_fields(jsonb, jsonb) is 'The names under which an update sends another key than that of its row, compared as text; null when it does not.';

revoke all on function service.moved_fields(jsonb, jsonb) from public;
--! EndIncluded write/moved_fields.sql
--! Included write/normalized_text.sql
create or replace function service.normalized_text(text text, rules jsonb) returns text
  language plpgsql immutable as $$
begin
  if rules -> 'trim' = 'true' then
    text := btrim(text, E' \t\r\n');
  end if;
  if rules -> 'lowercase' = 'true' then
    text := lower(text);
  end if;
  if rules -> 'uppercase' = 'true' then
    text := upper(text);
  end if;
  return text;
end $$;

comment on function service.normalized_text(text, jsonb) is 'A text after the rules trim, lowercase and uppercase of its property, which apply before the others are judged.';

revoke all on function service.normalized_text(text, jsonb) from public;
grant execute on function service.normalized_text(text, jsonb) to service_user;
--! EndIncluded write/normalized_text.sql
--! Included write/pattern.sql
-- A pattern is a PostgreSQL regular expression, or /…/ with the flag i.
create or replace function service.pattern(declared text) returns text
  language sql immutable parallel safe
  return case
    when declared ~ '^/.*/i$' then '(?i)' || substr(declared, 2, length(declared) - 3)
    when declared ~ '^/.*/$' then substr(declared, 2, length(declared) - 2)
    else declared
  end;

comment on function service.pattern(text) is 'The PostgreSQL regular expression of a declared pattern: itself, or what stands between slashes, with flag i only.';

revoke all on function service.pattern(text) from public;
--! EndIncluded write/pattern.sql
--! Included write/read_back.sql
-- A transaction that was made read-only stays so, but for a subtransaction that is rolled back: that gives up the setting
-- and nothing else, so a batch, or a DBA, can go on writing.
create or replace function service.read_back(plan jsonb, claims text, key text) returns json
  language plpgsql volatile as $$
declare
  body text;
begin
  perform set_config('transaction_read_only', 'on', true);
  body := service.run_planned(null, plan ->> 'reply', claims, key);
  raise exception using errcode = 'GW000';
exception when sqlstate 'GW000' then
  return body;
end $$;

comment on function service.read_back(jsonb, text, text) is
  'The row that a write has left, by the read of its plan: read-only, as every read (25006 when a callback writes). The transaction can write again afterwards.';

revoke all on function service.read_back(jsonb, text, text) from public;
grant execute on function service.read_back(jsonb, text, text) to service_user;
--! EndIncluded write/read_back.sql
--! Included write/refuse_operations.sql
-- Any object with a key that begins with $ reads as an operation: stored as a value it would be a misspelled one.
create or replace function service.refuse_operations(request jsonb) returns void
  language plpgsql stable as $$
declare
  operation record;
begin
  if strpos(request ->> 'body', '"$') = 0 then
    return;
  end if;
  select b.key as field, string_agg(k, ', ' order by k) as keys into operation
  from jsonb_each(request -> 'body') b
  cross join lateral jsonb_object_keys(case jsonb_typeof(b.value) when 'object' then b.value else '{}' end) k
  group by b.key
  having bool_or(left(k, 1) = '$')
  order by b.key
  limit 1;
  if operation.field is null then
    return;
  end if;
  if request ->> 'op' = 'update' and operation.keys in ('$inc', '$merge', '$pull', '$push') then
    perform service.fail(501, 'NOT_IMPLEMENTED', format('The operation %s is not available yet.', operation.keys), jsonb_build_object('collection', request -> 'path' -> 0, 'field', operation.field));
  end if;
  perform service.fail(400, 'INVALID_FIELD_OPERATION',
    format('%s: {%s} is no operation here. An update may use one of $inc, $merge, $pull, $push.', operation.field, operation.keys),
    jsonb_build_object('collection', request -> 'path' -> 0, 'field', operation.field));
end $$;

comment on function service.refuse_operations(jsonb) is
  'Nothing, or GW501 NOT_IMPLEMENTED for a field operation ({"views": {"$inc": 1}}), GW400 INVALID_FIELD_OPERATION for one that does not exist or that a create sends.';

revoke all on function service.refuse_operations(jsonb) from public;
--! EndIncluded write/refuse_operations.sql
--! Included write/refuse_unaffected.sql
create or replace function service.refuse_unaffected(request jsonb, visible boolean, moved text[] default null) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  collection text := request -> 'path' ->> 0;
begin
  if not visible and request ->> 'op' <> 'create' then
    perform service.fail(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.',
      jsonb_build_object('collection', collection, 'id', request -> 'path' -> 1));
  end if;
  if moved is not null then
    perform service.fail(400, 'KEY_IMMUTABLE', format('%s is the key of %s and cannot be changed.', array_to_string(moved, ', '), collection),
      service.violation_details(collection, moved, 'key_immutable', 'The key of a row (%s) cannot be changed.'));
  end if;
  perform service.fail(403, 'WRITE_DENIED', 'Row security does not let this caller write this row.', jsonb_build_object('collection', collection));
end $$;

comment on function service.refuse_unaffected(jsonb, boolean, text[]) is
  'Says why a write touched no row: GW404 NOT_FOUND when the caller does not see it, GW400 KEY_IMMUTABLE when it would move the row''s key under these names, else GW403 WRITE_DENIED.';

revoke all on function service.refuse_unaffected(jsonb, boolean, text[]) from public;
grant execute on function service.refuse_unaffected(jsonb, boolean, text[]) to service_user;
--! EndIncluded write/refuse_unaffected.sql
--! Included write/refuse_violations.sql
create or replace function service.refuse_violations(collection text, violations jsonb) returns void
  language plpgsql stable as $$
declare
  messages jsonb := (select jsonb_agg(v -> 'message' order by n) from jsonb_array_elements(violations) with ordinality u (v, n));
  only_types boolean := (select bool_and(v ->> 'code' in ('type', 'conflict')) from jsonb_array_elements(violations) v);
begin
  perform service.fail(400, case when only_types then 'VALIDATION_INVALID_VALUE' else 'VALIDATION_CONSTRAINT' end,
    (select string_agg(m, ' ') from jsonb_array_elements_text(messages) m),
    jsonb_build_object('collection', collection, 'violations', violations, 'messages', messages));
end $$;

comment on function service.refuse_violations(text, jsonb) is
  'Refuses a body for all its broken rules [{field, code, message}]: GW400 VALIDATION_INVALID_VALUE when values are of the wrong type only, else VALIDATION_CONSTRAINT; details {collection, violations, messages}.';

revoke all on function service.refuse_violations(text, jsonb) from public;
--! EndIncluded write/refuse_violations.sql
--! Included write/refused_columns.sql
-- The table may be another one that a trigger wrote to, and then no field of the body is to blame; of a partitioned
-- table the error names the partition, whose columns have the same names. A domain's check names the domain.
create or replace function service.refused_columns(served service.collections, problem jsonb) returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with met as (
    select t.oid, c.conkey, i.indkey
    from (select to_regclass(quote_ident(problem ->> 'schema') || '.' || quote_ident(problem ->> 'table')) as oid) t
    left join pg_constraint c on c.conrelid = t.oid and c.conname = problem ->> 'constraint'
    left join pg_class x on x.relname = problem ->> 'constraint' and x.relkind in ('i', 'I')
    left join pg_index i on i.indexrelid = x.oid and i.indrelid = t.oid
    where to_regclass(format('%I.%I', served.schema_name, served.table_name)) in (t.oid, pg_partition_root(t.oid))
  )
  select array_agg(c.name)
  from (
    select a.attname::text
    from pg_attribute a
    join met m on m.oid = a.attrelid
    where not a.attisdropped and (a.attname = problem ->> 'column' or a.attnum = any (m.conkey) or a.attnum = any (m.indkey::smallint[]))
    union all
    select a.attname::text
    from pg_attribute a
    where a.attrelid = to_regclass(format('%I.%I', served.schema_name, served.table_name)) and a.atttypid = to_regtype(quote_ident(problem ->> 'schema') || '.' || quote_ident(problem ->> 'type'))
  ) c (name);
end;

comment on function service.refused_columns(service.collections, jsonb) is
  'The columns of the collection''s table that a constraint or NOT NULL error {schema, table, column, constraint, type} is about; null for another table''s.';

revoke all on function service.refused_columns(service.collections, jsonb) from public;
--! EndIncluded write/refused_columns.sql
--! Included write/remove.sql
create or replace function service.remove(collection text, id text, claims jsonb default service.service_claims()) returns void
  language sql volatile
begin atomic
  select service.change(jsonb_build_object('op', 'delete', 'path', jsonb_build_array(collection, id)), claims);
end;

comment on function service.remove(text, text, jsonb) is
  'What DELETE /data/<collection>/<id> does. claims: the caller, by default the service key. Errors as service.write.';

revoke all on function service.remove(text, text, jsonb) from public;
--! EndIncluded write/remove.sql
--! Included write/require_known_fields.sql
create or replace function service.require_known_fields(served service.collections, sent text[], roles text[]) returns void
  language plpgsql stable as $$
declare
  unknown text[];
  one_way text[];
  unbuilt text[];
begin
  select array_agg(s.field order by s.field) filter (where s.relation_kind is null),
    array_agg(s.field order by s.field) filter (where s.relation_kind = 'via'),
    array_agg(s.field order by s.field) filter (where s.relation_kind <> 'via')
    into unknown, one_way, unbuilt
  from service.sent_fields(served, sent) s
  where (s.property).name is null;
  if unknown is not null then
    perform service.fail(400, 'VALIDATION_UNKNOWN_FIELDS',
      format('%s has no field %s.%s It has %s.', served.slug, array_to_string(unknown, ', '),
        case when 'id' = any (unknown) then format(' Its key is %s.', array_to_string(served.key, ', ')) else '' end,
        array_to_string(service.writable_fields(served.slug, roles), ', ')),
      service.violation_details(served.slug, unknown, 'unknown', 'There is no field %s.'));
  end if;
  if one_way is not null then
    perform service.fail(400, 'RELATION_NOT_WRITABLE', format('Nothing can be written through %s.', array_to_string(one_way, ', ')),
      jsonb_build_object('collection', served.slug, 'fields', one_way));
  end if;
  if unbuilt is not null then
    perform service.fail(501, 'NOT_IMPLEMENTED', format('Writing %s inside a body is not available yet.', array_to_string(unbuilt, ', ')),
      jsonb_build_object('collection', served.slug, 'fields', unbuilt));
  end if;
end $$;

comment on function service.require_known_fields(service.collections, text[], text[]) is
  'Nothing, or GW400 VALIDATION_UNKNOWN_FIELDS for names that are no field of the collection, RELATION_NOT_WRITABLE for relations that lead one way, GW501 NOT_IMPLEMENTED for relations that have no single column here. Details {collection, fields}.';

revoke all on function service.require_known_fields(service.collections, text[], text[]) from public;
--! EndIncluded write/require_known_fields.sql
--! Included write/require_open_fields.sql
-- An update may repeat a key that only the database makes: it names the row.
create or replace function service.require_open_fields(served service.collections, op text, sent text[], roles text[]) returns void
  language plpgsql stable as $$
declare
  closed text[];
  unwritable text[];
begin
  select array_agg(s.field order by s.field) filter (where (s.property).excluded or (s.property).write_roles = '{}'
      or ((s.property).generated and not (op = 'update' and (s.property).name = any (served.key)))),
    array_agg(s.field order by s.field) filter (where (s.property).write_roles <> '{}' and not (s.property).write_roles && roles and not 'admin' = any (roles))
    into closed, unwritable
  from service.sent_fields(served, sent) s;
  if closed is not null then
    perform service.fail(400, 'VALIDATION_EXCLUDED_FIELDS', format('Nobody may write %s.', array_to_string(closed, ', ')),
      service.violation_details(served.slug, closed, 'access', 'Nobody may write %s.'));
  end if;
  if unwritable is not null then
    perform service.fail(400, 'FIELD_NOT_WRITABLE', format('This caller may not write %s.', array_to_string(unwritable, ', ')),
      service.violation_details(served.slug, unwritable, 'access', 'Writing %s needs another role.'));
  end if;
end $$;

comment on function service.require_open_fields(service.collections, text, text[], text[]) is
  'Nothing, or GW400 VALIDATION_EXCLUDED_FIELDS for what nobody may write, FIELD_NOT_WRITABLE for what these roles may not; details as service.violation_details.';

revoke all on function service.require_open_fields(service.collections, text, text[], text[]) from public;
--! EndIncluded write/require_open_fields.sql
--! Included write/require_response_fields.sql
-- A field that is kept out of the API stays hidden, whether it is named or not.
create or replace function service.require_response_fields(collection text, fields jsonb) returns void
  language plpgsql stable as $$
declare
  unknown text := (
    select f from jsonb_array_elements_text(fields) f
    where not exists (select from service.properties p where p.collection = require_response_fields.collection and f in (p.name, p.column_name))
    limit 1);
begin
  if unknown is not null then
    perform service.fail(400, 'UNKNOWN_RESPONSE_FIELD', format('%s has no field %s to answer with.', collection, unknown),
      jsonb_build_object('field', unknown, 'collection', collection));
  end if;
end $$;

comment on function service.require_response_fields(text, jsonb) is 'Nothing, or GW400 UNKNOWN_RESPONSE_FIELD {field, collection} when a write asks to be answered with a field that is not there.';

revoke all on function service.require_response_fields(text, jsonb) from public;
--! EndIncluded write/require_response_fields.sql
--! Included write/run_planned.sql
create or replace function service.run_planned(name text, statement text, first text, second text) returns text
  language plpgsql volatile as $$
declare
  answer text;
begin
  if name is null then
    execute statement into answer using first, second;
  else
    execute format('execute %I (%L, %L)', name, first, second) into answer;
  end if;
  return answer;
end $$;

comment on function service.run_planned(text, text, text, text) is
  'Runs a statement of a write plan with its two parameters, under its prepared name when it has one: the first column of its first row as text, null without a row.';

revoke all on function service.run_planned(text, text, text, text) from public;
grant execute on function service.run_planned(text, text, text, text) to service_user;
--! EndIncluded write/run_planned.sql
--! Included write/type_in_words.sql
create or replace function service.type_in_words(type text, sql_type text) returns text
  language sql immutable parallel safe
  return case type
    when 'string' then case sql_type when 'uuid' then 'a UUID' else 'a text' end
    when 'number' then case when sql_type in ('smallint', 'integer', 'bigint') then 'a whole number' else 'a number' end
    when 'boolean' then 'true or false'
    when 'date' then 'a date (ISO 8601)'
    when 'array' then 'an array'
    when 'map' then 'an object'
    when 'geopoint' then 'an object with latitude and longitude'
    when 'vector' then 'an array of numbers'
    when 'binary' then 'base64 text'
    else 'a ' || type
  end;

comment on function service.type_in_words(text, text) is 'A property type as an error message names it.';

revoke all on function service.type_in_words(text, text) from public;
--! EndIncluded write/type_in_words.sql
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
    where w.field is not null
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
--! Included write/update.sql
create or replace function service.update(collection text, id text, body jsonb default '{}', claims jsonb default service.service_claims()) returns json
  language sql volatile
  return service.change(jsonb_build_object('op', 'update', 'path', jsonb_build_array(collection, id), 'body', body), claims);

comment on function service.update(text, text, jsonb, jsonb) is
  'The answer of PATCH /data/<collection>/<id> with this body, as JSON: the row after it. claims: the caller, by default the service key. Errors as service.write.';

revoke all on function service.update(text, text, jsonb, jsonb) from public;
--! EndIncluded write/update.sql
--! Included write/update_statement.sql
-- An empty update still touches the row, so that triggers that stamp it run; a row of which nothing can be set is locked,
-- which the same policies decide.
create or replace function service.update_statement(served service.collections, sent text[], key text) returns text
  language sql stable
begin atomic
  with assignment (target, value, field, read_as) as (
    select w.column_name, w.expression, w.field, w.read_as from service.written_columns(served, 'update', sent) w
    union all (
      select p.column_name, format('t.%I', p.column_name), null, null
      from service.properties p
      where p.collection = served.slug and not p.generated and not exists (select from service.written_columns(served, 'update', sent))
      order by p.name = any (served.key), p.position
      limit 1)
  )
  select case when count(*) = 0 then format('select '''' from %I.%I t where %s for update', served.schema_name, served.table_name, key)
    else format('update %I.%I t set %s%s where %s returning ''''', served.schema_name, served.table_name,
      string_agg(format('%I = %s', a.target, a.value), ', ' order by a.target),
      coalesce(' from ' || service.sent_record(array_agg(a.field order by a.target), array_agg(a.read_as order by a.target)), ''),
      key) end
  from assignment a;
end;

comment on function service.update_statement(service.collections, text[], text) is
  'SQL text that writes a body ($1) with these names into the row that the key predicate ($2) finds, and returns a blank when it did.';

revoke all on function service.update_statement(service.collections, text[], text) from public;
--! EndIncluded write/update_statement.sql
--! Included write/violation_details.sql
create or replace function service.violation_details(collection text, fields text[], code text, message text) returns jsonb
  language sql immutable
begin atomic
  select jsonb_build_object('collection', collection, 'fields', fields,
    'violations', jsonb_agg(jsonb_build_object('field', f.field, 'code', code, 'message', format(message, f.field)) order by f.n),
    'messages', jsonb_agg(format(message, f.field) order by f.n))
  from unnest(fields) with ordinality f (field, n);
end;

comment on function service.violation_details(text, text[], text, text) is
  'The details of a refusal that is the same for several fields: {collection, fields, violations: [{field, code, message}], messages}; %s in the message stands for the field.';

revoke all on function service.violation_details(text, text[], text, text) from public;
--! EndIncluded write/violation_details.sql
--! Included write/writable_fields.sql
create or replace function service.writable_fields(collection text, roles text[]) returns text[]
  language sql stable
begin atomic
  select array_agg(p.name order by p.position)
  from service.properties p
  where p.collection = writable_fields.collection and not p.excluded and not p.generated
    and (p.write_roles is null or p.write_roles && roles or ('admin' = any (roles) and p.write_roles <> '{}'));
end;

comment on function service.writable_fields(text, text[]) is 'The names of the fields that holders of these roles may write, in the order of the columns.';

revoke all on function service.writable_fields(text, text[]) from public;
--! EndIncluded write/writable_fields.sql
--! Included write/write.sql
-- One write, in the caller's own implicit transaction: enter, check what was sent, run it as the caller under row
-- security, read the row back as the caller may read it. Nothing here catches an error: a failed write leaves nothing.
-- plan: what the gateway keeps of service.write_plan; without one it is made here, which costs some milliseconds. A plan
-- that is kept comes from a gateway, whose transaction ends with this call: it is simply left read-only.
-- An assignment calls a function at a third of what PERFORM costs.
create or replace function service.write(claims text, request jsonb, plan jsonb default null) returns json
  language plpgsql volatile as $$
declare
  op text := request ->> 'op';
  key text := request -> 'path' ->> 1;
  doubtful jsonb;
  moved text[];
  answer text;
  done boolean;
begin
  done := service.enter(claims);
  if plan is null or service.has_blank_key(op, request -> 'body', plan -> 'sentKey') then
    plan := service.write_plan(service.write_shape(request), string_to_array(service.roles(), ','));
  end if;
  if op <> 'delete' then
    doubtful := service.doubtful_fields(request -> 'body', plan);
    if doubtful <> '[]' or plan ?| array['missing', 'twice', 'sentKey'] or strpos(request ->> 'body', '"$') > 0 then
      moved := service.check_body(request, plan, doubtful, service.uid());
    end if;
  end if;
  if op <> 'create' and not service.is_readable_id(key, plan -> 'keyTypes') then
    perform service.refuse_unaffected(request, false);
  elsif moved is not null then
    perform service.refuse_unaffected(request, service.run_planned(null, plan ->> 'visible', null, key) is not null, moved);
  end if;
  done := service.keep(plan);
  answer := service.run_planned(plan ->> 'kept', plan ->> 'statement', request ->> 'body', key);
  if answer is null then
    perform service.refuse_unaffected(request, op <> 'create' and service.run_planned(null, plan ->> 'visible', null, key) is not null);
  end if;
  key := case op when 'create' then answer else key end;
  if not plan ? 'reply' then
    return null;
  elsif not plan ? 'kept' then
    return service.read_back(plan, claims, key);
  end if;
  done := set_config('transaction_read_only', 'on', true) = 'on';
  return service.run_planned((plan ->> 'kept') || '_reply', null, claims, key);
end $$;

comment on function service.write(text, jsonb, jsonb) is
  'Creates, updates or deletes one row as the caller with these claims. request: {"op": "create"|"update"|"delete", "path": [slug] or [slug, id], "body": object, "return": "minimal"?, "fields": [names]?}. Returns the row as this caller reads it; null for delete and return=minimal. Errors: GW400 VALIDATION_EXCLUDED_FIELDS, FIELD_NOT_WRITABLE, VALIDATION_UNKNOWN_FIELDS, RELATION_NOT_WRITABLE, UNKNOWN_RESPONSE_FIELD, FIELD_NOT_READABLE, INVALID_FIELD_OPERATION, VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE, KEY_IMMUTABLE; GW403 WRITE_DENIED; GW404 NOT_FOUND; GW501 NOT_IMPLEMENTED; and the database''s own, rolled back as a whole.';

revoke all on function service.write(text, jsonb, jsonb) from public;
grant execute on function service.write(text, jsonb, jsonb) to service_user;
--! EndIncluded write/write.sql
--! Included write/write_plan.sql
-- Everything about a write that needs the catalog, which the end-user role cannot read, and that its values do not
-- change: the gateway keeps it by shape. What comes back is plain SQL that runs as the caller.
create or replace function service.write_plan(shape jsonb, roles text[]) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  served service.collections;
  op text := shape ->> 'op';
  sent text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  minimal boolean := shape ->> 'return' is not distinct from 'minimal';
  key text;
begin
  perform service.path_collection(jsonb_build_array(shape -> 'collection'));
  select c.* into served from service.collections c where c.slug = shape ->> 'collection';
  if served.read_only then
    perform service.fail(403, 'WRITE_DENIED', format('%s is read-only.', served.slug), jsonb_build_object('collection', served.slug));
  end if;
  if op <> 'delete' then
    perform service.require_open_fields(served, op, sent, roles);
    perform service.require_known_fields(served, sent, roles);
    perform service.require_response_fields(served.slug, shape -> 'fields');
  end if;
  key := substr(service.key_predicate(served.slug, 't', '2'), 6);
  return jsonb_strip_nulls(jsonb_build_object(
    'fields', service.judged_fields(served, op, sent),
    'sentKey', (select jsonb_agg(s.field) from service.sent_fields(served, sent) s where (s.property).name = any (served.key)),
    'twice', (select true from service.sent_fields(served, sent) s group by (s.property).column_name having count(*) > 1 limit 1),
    'missing', case op when 'create' then service.missing_fields(served, sent) end,
    'statement', case op
      when 'create' then service.insert_statement(served, sent, not minimal)
      when 'update' then service.update_statement(served, sent, key)
      when 'delete' then format('delete from %I.%I t where %s returning ''''', served.schema_name, served.table_name, key)
    end,
    'keyTypes', case when op <> 'create' then (
      select jsonb_agg(p.sql_type order by k.n) from unnest(served.key) with ordinality k (name, n)
      join service.properties p on p.collection = served.slug and p.name = k.name) end,
    'visible', case when op <> 'create' then format('select '''' from %I.%I t where %s', served.schema_name, served.table_name, key) end,
    'reply', case when op <> 'delete' and not minimal then
      (service.compile(jsonb_strip_nulls(jsonb_build_object('op', 'get', 'path', jsonb_build_array(served.slug, 2), 'fields', shape -> 'fields')), roles)).statement end));
end $$;

comment on function service.write_plan(jsonb, text[]) is
  'The plan of writes of one shape (service.write_shape), for callers with these roles. fields: how values are judged (service.judged_fields); sentKey: the names that mean the key; twice: a column is sent by two names; missing: violations of what a create leaves out; statement ($1 = body, $2 = id; returns the new id of a create that is answered with its row, else a blank), visible ($2 = id; a row when the caller sees it), reply ($1 = claims, $2 = id): SQL text, parameters text; keyTypes: the types of the id. Errors that values do not decide, as service.write.';

revoke all on function service.write_plan(jsonb, text[]) from public;
grant execute on function service.write_plan(jsonb, text[]) to service_user;
--! EndIncluded write/write_plan.sql
--! Included write/write_shape.sql
-- A blank key asks for one to be made, as if it had not been sent.
create or replace function service.write_shape(request jsonb) returns jsonb
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select jsonb_strip_nulls(jsonb_build_object('op', request -> 'op', 'collection', request -> 'path' -> 0, 'return', request -> 'return', 'fields', request -> 'fields',
    'body', (
      select coalesce(jsonb_agg(b.key), '[]')
      from jsonb_each(request -> 'body') b
      where not (request ->> 'op' = 'create' and b.value in ('null', '""') and exists (
        select from service.collections c join service.properties p on p.collection = c.slug and p.name = any (c.key)
        where c.slug = request -> 'path' ->> 0 and b.key in (p.name, p.column_name))))));
end;

comment on function service.write_shape(jsonb) is
  'What service.write_plan needs to know of a write: {op, collection, body: [names], return?, fields?}, its values left out; names of a blank key too, when it creates.';

revoke all on function service.write_shape(jsonb) from public;
grant execute on function service.write_shape(jsonb) to service_user;
--! EndIncluded write/write_shape.sql

--! Previous: -
--! Hash: sha1:1b288d85af2d5c7b79c3c27ebb36e0ef98817717

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
    'restrictingRoles', coalesce((select json_agg(distinct r) from service.properties p, unnest(p.read_roles) r), '[]'::json),
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
-- does not, nothing is written; when it does, only the rows that differ are.
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
  delete from service.relations r using service.collections c
    where c.slug = r.collection and c.source = 'introspected' and not exists (select from unnest(relations) n where n = r);
  delete from service.properties p using service.collections c
    where c.slug = p.collection and c.source = 'introspected' and not exists (select from unnest(properties) n where n = p);
  delete from service.collections c
    where c.source = 'introspected' and not exists (select from unnest(collections) n where n = c);
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
create or replace function service.introspected_collections(tables service.introspected_table[], properties service.properties[])
  returns setof service.collections
  language sql stable set search_path = pg_catalog, pg_temp
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
create or replace function service.introspected_relations(tables service.introspected_table[], properties service.properties[])
  returns setof service.relations
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with served as materialized (
    select t.* from unnest(tables) t
  ), foreign_key as (
    select f.oid, f.conrelid, f.confrelid, f.conkey, child.slug as child, child.schema_name, child.junction, parent.slug as parent,
      service.column_names(f.conrelid, f.conkey) as child_columns, service.column_names(f.confrelid, f.confkey) as parent_columns,
      f.conkey <@ child.key as in_key,
      exists (select from pg_index i where i.indrelid = f.conrelid and i.indisunique and i.indpred is null
        and i.indnkeyatts = cardinality(f.conkey) and i.indkey::smallint[] <@ f.conkey) as unique_columns,
      count(*) over (partition by f.conrelid, f.confrelid) as siblings
    from pg_constraint f
    join served child on child.oid = f.conrelid
    join served parent on parent.oid = f.confrelid and not parent.junction
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
    from foreign_key here join foreign_key there on there.conrelid = here.conrelid and there.oid <> here.oid
    where here.junction
  ), numbered as (
    select c.*, row_number() over (partition by c.collection, c.name order by c.rank, c.tie)
      + case when c.name in ('count', 'aggregate', 'bulk', 'history') or (p.name is not null and not (c.kind = 'belongsTo' and p.column_name = any (c.local_columns))) then 1 else 0 end as n
    from candidate c
    left join unnest(properties) p on p.collection = c.collection and p.name = c.name
  )
  select n.collection, case n.n when 1 then n.name else n.name || '_' || n.n end, n.kind, n.target, n.local_columns, n.target_columns,
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
-- gateway leave no trace.
create or replace function service.define(catalog jsonb) returns boolean
  language plpgsql volatile as $$
declare
  collections service.collections[] := array(select c from jsonb_populate_recordset(null::service.collections, catalog -> 'collections') c);
  properties service.properties[] := array(select p from jsonb_populate_recordset(null::service.properties, catalog -> 'properties') p);
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
create or replace function service.login_role(name text, password text, settings jsonb, renew boolean default false) returns void
  language plpgsql volatile as $$
declare
  setting record;
  current text[] := (
    select s.setconfig from pg_catalog.pg_db_role_setting s
    join pg_catalog.pg_roles r on r.oid = s.setrole join pg_catalog.pg_database d on d.oid = s.setdatabase
    where r.rolname = name and d.datname = current_database());
begin
  if not exists (select from pg_catalog.pg_roles where rolname = name) then
    execute format('create role %I login noinherit password %L', name, password);
  elsif renew then
    execute format('alter role %I password %L', name, password);
  end if;
  if not pg_has_role(name, 'service_user', 'member') then
    execute format('grant service_user to %I', name);
  end if;
  for setting in select s.key, s.value from jsonb_each_text(settings) s loop
    if setting.key || '=' || setting.value <> all (coalesce(current, '{}')) then
      execute format('alter role %I in database %I set %s = %L', name, current_database(), setting.key, setting.value);
    end if;
  end loop;
end $$;

comment on function service.login_role(text, text, jsonb, boolean) is
  'Makes (or completes) a lane''s login role for this database: member of service_user, with settings {name: value} stored in this database. password: a SCRAM-SHA-256 verifier, used when the role is new, or renew says so. Needs CREATEROLE.';

revoke all on function service.login_role(text, text, jsonb, boolean) from public;
--! EndIncluded identity/login_role.sql
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
  missing text := service.not_compiled(shape);
begin
  if missing is not null then
    perform service.fail(501, 'NOT_IMPLEMENTED', format('%s is not available yet.', missing));
  end if;
  if shape ? 'after' then
    perform service.require_cursor(collection, shape, roles);
  end if;
  statement := case shape ->> 'op'
    when 'list' then service.statement_list(collection, shape, roles)
    when 'get' then service.statement_get(collection, shape, roles)
    when 'count' then service.statement_count(collection, shape, roles)
  end;
  enter_first := service.needs_entering(statement);
  -- A transaction of several statements needs a connection for itself.
  lane := case when shape ->> 'op' = 'get' and not enter_first then 'point' else 'scan' end;
end $$;

comment on function service.compile(jsonb, text[]) is
  'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include …}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before (partitioned tables whose policies call identity functions bare). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 for what is parsed but not compiled.';

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
  page_size integer := coalesce((request ->> 'limit')::integer, 50);
  cursor jsonb;
  known text[] := '{op,path,where,logical,orderBy,limit,offset,after,fields,include,count}';
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
  if shape ->> 'op' = 'list' then
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
  'Takes the values out of a request {op, path: [slug, id, relation …], where: {field: [operator, value] or a list of those}, logical, orderBy: [{field, direction, nulls}], limit, offset, after, fields, include, count}: the shape that service.compile reads, and the values of $2 onwards. GW400 INVALID_CURSOR, INVALID_PARAM, INVALID_LIMIT, INVALID_OFFSET, CURSOR_WITH_OFFSET, and those of conditions and groups.';

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
    || format(case when relation.kind = 'belongsTo' then ', %1$I as (select %2$s, row_to_json(d.*) as %3$s from %4$I t%5$s cross join lateral (select %6$s) d)'
        else ', %1$I as (select %2$s, json_agg(d.* order by t.%7$s) as %3$s from %4$I t%5$s cross join lateral (select %6$s) d group by %2$s)' end,
      rows_name || '_json', service.column_list('t', back), json, rows_name, nested.joins,
      service.row_columns(relation.target, 't', node, roles) || nested.columns, row_number);
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
  property service.properties;
  sorted text[] := '{}';
begin
  n := 0;
  for sort in
    select k.value ->> 'field' as field, k.value ->> 'direction' as direction,
      coalesce(k.value ->> 'nulls', case k.value ->> 'direction' when 'desc' then 'first' else 'last' end) as nulls
    from jsonb_array_elements(requested) k
  loop
    property := service.sort_property(collection, sort.field, roles);
    n := n + 1;
    field := sort.field;
    expression := format('%s.%I', alias, property.column_name);
    sql_type := property.sql_type;
    direction := sort.direction;
    nulls := sort.nulls;
    nullable := not property.not_null;
    sorted := sorted || property.name;
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
  'The keys of an ordering, complete: requested [{field, direction, nulls}] resolved to expressions, then what is left of the collection''s key, descending (field null). GW400 as service.sort_property.';

revoke all on function service.order_keys(text, text, jsonb, text[]) from public;
--! EndIncluded read/order_keys.sql
--! Included read/next_cursor.sql
create or replace function service.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text) returns text
  language sql stable
begin atomic
  select format('service.cursor_seal(%L, %L, json_agg(json_build_array(%s)) filter (where %s = %s) -> 0)', collection,
    coalesce(jsonb_agg(jsonb_build_array(k.field, k.direction, k.nulls) order by k.n) filter (where k.field is not null), '[]'::jsonb),
    -- A cursor's key is never null; where it can be (a view), '' stands for it and '=' before every other.
    string_agg(case when k.field is null and k.nullable then format('coalesce(''='' || %s::text, '''')', k.expression) else k.expression || '::text' end, ', ' order by k.n),
    row_number, page_size)
  from service.order_keys(collection, 't', shape -> 'orderBy', roles) k;
end;

comment on function service.next_cursor(text, jsonb, text[], text, text) is
  'SQL text of the signed cursor after the last served row; computed for that row only.';

revoke all on function service.next_cursor(text, jsonb, text[], text, text) from public;
--! EndIncluded read/next_cursor.sql
--! Included read/not_compiled.sql
create or replace function service.not_compiled(shape jsonb) returns text
  language sql immutable parallel safe
  return case
    when shape ->> 'op' not in ('list', 'get', 'count') then 'Aggregation'
    when shape ? 'search' then 'searchString'
    when shape ? 'vector' then 'Vector search'
    when shape ? 'distinct' then 'distinct'
    when shape ? 'deleted' then 'deleted'
  end;

comment on function service.not_compiled(jsonb) is 'What a shape asks for that is not compiled yet, in words; null when all of it is.';

revoke all on function service.not_compiled(jsonb) from public;
--! EndIncluded read/not_compiled.sql
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
create or replace function service.page(collection text, shape jsonb, scope text, roles text[]) returns text
  language plpgsql stable as $$
declare
  base text := (select format('select t.* from %I.%I t where ctx.ok', c.schema_name, c.table_name) from service.collections c where c.slug = collection)
    || coalesce(scope, '') || coalesce(service.predicate(collection, 't', shape, roles), '');
  tail text := format(' order by %s limit %s', service.order_by(collection, 't', shape -> 'orderBy', roles), shape -> 'limit' ->> 'bucket');
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
  perform service.sort_property(collection, k.value ->> 0, roles) from jsonb_array_elements(shape -> 'after' -> 'keys') k;
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
-- An unreadable column is left out, never null. The key is always there. A relation that is included under a column's
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
      and (node -> 'fields' is null or p.name = any (c.key) or node -> 'fields' ?| array[p.name, p.column_name])
      and not p.name = any (included));
end $$;

comment on function service.row_columns(text, text, jsonb, text[]) is
  'SQL text of the columns of a row under their wire names, as these roles may read them and as fields asks. GW400 UNKNOWN_FIELD {field, collection}, FIELD_NOT_READABLE.';

revoke all on function service.row_columns(text, text, jsonb, text[]) from public;
--! EndIncluded read/row_columns.sql
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
  if property.name is null and field ~ '^\s*(count|min|max|sum|avg)\s*\(' then
    perform service.fail(501, 'NOT_IMPLEMENTED', 'Ordering by an aggregate over a relation is not available yet.', jsonb_build_object('field', field));
  elsif property.name is null and relation.name is null then
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
--! Included read/statement_count.sql
create or replace function service.statement_count(collection text, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select format('select r.body from (select service.enter($1) as ok offset 0) ctx cross join lateral (select concat(''{"count":'', count(*), ''}'') as body from %I.%I t where ctx.ok%s%s) r',
    c.schema_name, c.table_name, coalesce(service.scope(shape -> 'path', 't'), ''), coalesce(service.predicate(collection, 't', shape, roles), ''))
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
      service.key_predicate(collection, 't', path ->> -1), coalesce(service.scope(path - -1, 't'), ''),
      coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  return format('select row_to_json(r.*) as body from (select service.enter($1) as ok offset 0) ctx cross join lateral (%sselect d.* from %s t%s cross join lateral (select %s) d offset 0) r',
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
  scope text := service.scope(shape -> 'path', 't');
  rest record := service.include(collection, 'page', shape, roles);
  row_columns text := service.row_columns(collection, 't', shape, roles) || rest.columns;
  row_number text := quote_ident(service.unused_prefix(collection) || 'n');
  rows text := format('select * from (select t.*, row_number() over () as %1$s from (%2$s) t) t where t.%1$s <= $%3$s::bigint + 1', row_number, service.page(collection, shape, scope, roles), shape -> 'limit' ->> 'param');
  page_size text := format('$%s::bigint', shape -> 'limit' ->> 'param');
  page_offset text := coalesce('$' || (shape ->> 'offset') || '::bigint', '0');
begin
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || '%sselect concat(''{"data":'', coalesce(json_agg(d.*%s) filter (where t.%s <= %s)::text, ''[]''), ''%s'
      || '"limit":'', %5$s, '',"offset":'', %7$s, '',"hasMore":'', case when count(*) > %5$s then concat(''true,"nextCursor":"'', %8$s, ''"'') else ''false'' end, ''}}'') as body '
      || 'from %9$s t%10$s cross join lateral (select %11$s) d) r',
    case when shape ? 'after' then format(', service.cursor_open(%L, $%s) as cursor', collection, shape -> 'after' ->> 'param') else '' end,
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    case when rest.ctes = '' then '' else ' order by t.' || row_number end,
    row_number,
    page_size,
    ',"meta":{' || case when shape ->> 'count' = 'none' then '' else '"total":'', ' || service.total(collection, shape, scope, roles, page_size, page_offset) || ', '',' end,
    page_offset,
    service.next_cursor(collection, shape, roles, 't.' || row_number, page_size),
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns);
end $$;

comment on function service.statement_list(text, jsonb, text[]) is
  'The statement of a list: one row, one column body = {"data":[…],"meta":{total, limit, offset, hasMore, nextCursor}}.';

revoke all on function service.statement_list(text, jsonb, text[]) from public;
--! EndIncluded read/statement_list.sql
--! Included read/total.sql
-- A page that has no next one, and was not reached by a cursor, knows the total; else it is counted under the very
-- same predicate. "estimated" stops counting at 10,001, which never says more than row security allows.
create or replace function service.total(collection text, shape jsonb, scope text, roles text[], page_size text, page_offset text) returns text
  language plpgsql stable as $$
declare
  counted text := (
    select format('(select count(*) from (select from %I.%I t where ctx.ok%s%s%s) c)', c.schema_name, c.table_name, coalesce(scope, ''),
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
--! Included write/body_columns.sql
-- A belongsTo is sent by its name (an id, or the row as an object) or by its foreign key. What the service stamps itself
-- is taken out of what was sent.
create or replace function service.body_columns(served service.collections, body jsonb)
  returns table (field text, value jsonb, column_name text, type text, sql_type text, attributes jsonb, is_key boolean)
  language sql stable
begin atomic
  select b.key, case when r.name is null or jsonb_typeof(b.value) <> 'object' then b.value else coalesce(b.value -> t.name, b.value -> 'id', 'null') end,
    p.column_name, p.type, p.sql_type, p.attributes, p.name = any (served.key)
  from jsonb_each(body) b
  left join service.relations r on r.collection = served.slug and r.name = b.key and r.kind = 'belongsTo' and cardinality(r.local_columns) = 1
    and not exists (select from service.properties own where own.collection = served.slug and own.name = b.key and jsonb_typeof(b.value) <> 'object')
  left join service.properties t on t.collection = r.target and t.column_name = r.target_columns[1]
  join service.properties p on p.collection = served.slug
    and case when r.name is null then b.key in (p.name, p.column_name) else p.column_name = r.local_columns[1] end
  where not p.excluded and not p.attributes ? 'autoValue';
end;

comment on function service.body_columns(service.collections, jsonb) is 'The fields of a body with the columns they write.';

revoke all on function service.body_columns(service.collections, jsonb) from public;
--! EndIncluded write/body_columns.sql
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
--! Included write/broken_rules.sql
-- One row a rule: the types it is for, its key, its code, whether it holds, what is said when it does not.
create or replace function service.broken_rules(field text, value jsonb, type text, text text, rules jsonb)
  returns table (code text, message text)
  language sql stable
begin atomic
  select r.code, format(r.message, field, rules ->> r.rule)
  from (values
    ('string', 'length',      'length',       '%s must have %s characters.',         char_length(text) = (rules ->> 'length')::numeric),
    ('string', 'min',         'min_length',   '%s must have at least %s characters.', char_length(text) >= (rules ->> 'min')::numeric),
    ('string', 'max',         'max_length',   '%s must have at most %s characters.',  char_length(text) <= (rules ->> 'max')::numeric),
    ('string', 'matches',     'pattern',      '%s does not match its pattern.',       text ~ (service.pattern(rules ->> 'matches'))),
    ('string', 'email',       'email',        '%s must be an email address.',         rules -> 'email' <> 'true' or text = '' or text ~ '^[^\s@]+@[^\s@]+\.[^\s@]+$'),
    ('string', 'url',         'url',          '%s must be an absolute URL.',          rules -> 'url' not in ('true', '"url"') or text = '' or text ~* '^[a-z][a-z0-9+.-]*://[^\s/]+'),
    ('number', 'integer',     'integer',      '%s must be a whole number.',           rules -> 'integer' <> 'true' or case when type = 'number' then text::numeric = trunc(text::numeric) end),
    ('number', 'positive',    'positive',     '%s must be above 0.',                  rules -> 'positive' <> 'true' or case when type = 'number' then text::numeric > 0 end),
    ('number', 'negative',    'negative',     '%s must be below 0.',                  rules -> 'negative' <> 'true' or case when type = 'number' then text::numeric < 0 end),
    ('number', 'min',         'min',          '%s must be at least %s.',              case when type = 'number' then text::numeric >= (rules ->> 'min')::numeric end),
    ('number', 'max',         'max',          '%s must be at most %s.',               case when type = 'number' then text::numeric <= (rules ->> 'max')::numeric end),
    ('number', 'moreThan',    'more_than',    '%s must be above %s.',                 case when type = 'number' then text::numeric > (rules ->> 'moreThan')::numeric end),
    ('number', 'lessThan',    'less_than',    '%s must be below %s.',                 case when type = 'number' then text::numeric < (rules ->> 'lessThan')::numeric end),
    ('date',   'min',         'date_min',     '%s must not be before %s.',            case when type = 'date' then text::timestamptz >= (rules ->> 'min')::timestamptz end),
    ('date',   'max',         'date_max',     '%s must not be after %s.',             case when type = 'date' then text::timestamptz <= (rules ->> 'max')::timestamptz end),
    ('array',  'min',         'min_items',    '%s must have at least %s items.',      case when jsonb_typeof(value) = 'array' then jsonb_array_length(value) >= (rules ->> 'min')::numeric end),
    ('array',  'max',         'max_items',    '%s must have at most %s items.',       case when jsonb_typeof(value) = 'array' then jsonb_array_length(value) <= (rules ->> 'max')::numeric end),
    ('array',  'uniqueInArray', 'unique_items', '%s must not repeat an item.',        rules -> 'uniqueInArray' <> 'true' or case when jsonb_typeof(value) = 'array' then (select count(*) = count(distinct e) from jsonb_array_elements(value) e) end)
  ) as r (type, rule, code, message, holds)
  where r.type = broken_rules.type and rules ? r.rule and not coalesce(r.holds, true);
end;

comment on function service.broken_rules(text, jsonb, text, text, jsonb) is
  'The declared rules of a property that one value breaks, with the code and the message of each: length, min_length, max_length, pattern, email, url, integer, positive, negative, min, max, more_than, less_than, date_min, date_max, min_items, max_items, unique_items.';

revoke all on function service.broken_rules(text, jsonb, text, text, jsonb) from public;
--! EndIncluded write/broken_rules.sql
--! Included write/checked_body.sql
-- In the order that clients are told of: closed fields, unknown fields, all broken rules at once, the key.
create or replace function service.checked_body(served service.collections, op text, body jsonb, id text, roles text[], uid text) returns jsonb
  language plpgsql stable as $$
declare
  sent record;
  payload jsonb := '{}';
begin
  perform service.require_open_fields(served, op, body, roles);
  perform service.require_known_fields(served, body, roles);
  perform service.require_valid_values(served, op, body);
  if op = 'update' then
    perform service.require_same_key(served, body, id);
  end if;
  for sent in select * from service.body_columns(served, body) loop
    continue when sent.is_key and (op = 'update' or sent.value in ('null', '""'));
    payload := payload || jsonb_build_object(sent.column_name, service.stored_value(sent.value, sent.type, sent.sql_type, sent.attributes));
  end loop;
  return payload || service.user_stamps(served, op, uid);
end $$;

comment on function service.checked_body(service.collections, text, jsonb, text, text[], text) is
  'What a body writes, by column, after every check of what was sent. GW400 as service.write.';

revoke all on function service.checked_body(service.collections, text, jsonb, text, text[], text) from public;
--! EndIncluded write/checked_body.sql
--! Included write/fits_type.sql
-- What JSON can tell of a value before the database reads it as the column's type.
create or replace function service.fits_type(value jsonb, type text, sql_type text) returns boolean
  language sql stable
  return case type
    when 'string' then jsonb_typeof(value) = 'string' or (jsonb_typeof(value) = 'number' and sql_type is distinct from 'uuid')
    when 'number' then jsonb_typeof(value) = 'number' or (jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$')
    when 'boolean' then jsonb_typeof(value) = 'boolean' or value in ('"true"', '"false"')
    when 'date' then jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^\s*[-+]?\d'
    when 'array' then jsonb_typeof(value) = 'array'
    when 'map' then sql_type is not null or jsonb_typeof(value) = 'object'
    when 'geopoint' then jsonb_typeof(value) = 'object' and jsonb_typeof(value -> 'latitude') = 'number' and jsonb_typeof(value -> 'longitude') = 'number'
    when 'vector' then jsonb_typeof(value) = 'array' and not exists (select from jsonb_array_elements(value) e where jsonb_typeof(e) <> 'number')
    when 'binary' then jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
    else true
  end;

comment on function service.fits_type(jsonb, text, text) is 'Whether a JSON value can be of a property type at all; numbers may be sent as text, booleans as ''true'' and ''false''.';

revoke all on function service.fits_type(jsonb, text, text) from public;
--! EndIncluded write/fits_type.sql
--! Included write/insert_statement.sql
-- jsonb_populate_record reads each value as its column's type, digits and all.
create or replace function service.insert_statement(served service.collections, payload jsonb, returns_key boolean) returns text
  language sql stable
begin atomic
  select format('insert into %1$I.%2$I %3$s%4$s', served.schema_name, served.table_name,
    coalesce(
      (select format('(%s) select %s from jsonb_populate_record(null::%I.%I, $1) r',
          string_agg(quote_ident(k), ', ' order by k), string_agg('r.' || quote_ident(k), ', ' order by k), served.schema_name, served.table_name)
        from jsonb_object_keys(payload) k having count(*) > 0),
      'default values'),
    case when returns_key then ' returning ' || (
      select string_agg(format('%I::text', p.column_name), ' || '':::'' || ' order by k.n)
      from unnest(served.key) with ordinality k (name, n) join service.properties p on p.collection = served.slug and p.name = k.name) else '' end);
end;

comment on function service.insert_statement(service.collections, jsonb, boolean) is
  'SQL text that inserts the columns of a payload ($1), and returns the new key as text when asked.';

revoke all on function service.insert_statement(service.collections, jsonb, boolean) from public;
--! EndIncluded write/insert_statement.sql
--! Included write/missing_values.sql
-- A beforeSave callback may fill what is missing; then NOT NULL is the backstop.
create or replace function service.missing_values(served service.collections, op text, body jsonb)
  returns table (field text, code text, message text)
  language sql stable
begin atomic
  select coalesce(r.name, p.name), 'required', coalesce(p.attributes ->> 'requiredMessage', p.attributes -> 'validation' ->> 'requiredMessage', format('%s is required.', coalesce(r.name, p.name)))
  from service.properties p
  left join service.relations r on r.collection = p.collection and r.kind = 'belongsTo' and r.local_columns = array[p.column_name]
  where p.collection = served.slug and p.required and not p.excluded
    and not p.attributes ? 'autoValue'
    and not (p.name = any (served.key) and p.attributes ->> 'isId' in ('uuid', 'increment') and served.source = 'file')
    and not served.callbacks ? 'beforeSave'
    and case op
      when 'create' then coalesce((select bool_and(s.value = 'null') from service.body_columns(served, body) s where s.column_name = p.column_name), true)
      else coalesce((select bool_or(s.value = 'null') from service.body_columns(served, body) s where s.column_name = p.column_name), false)
    end;
end;

comment on function service.missing_values(service.collections, text, jsonb) is
  'Required fields that a body leaves out (create) or sets to null.';

revoke all on function service.missing_values(service.collections, text, jsonb) from public;
--! EndIncluded write/missing_values.sql
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
--! EndIncluded write/normalized_text.sql
--! Included write/refuse_unaffected.sql
create or replace function service.refuse_unaffected(request jsonb, visible boolean) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if visible or request ->> 'op' = 'create' then
    perform service.fail(403, 'WRITE_DENIED', 'Row security does not let this caller write this row.');
  end if;
  perform service.fail(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.',
    jsonb_build_object('collection', request -> 'path' -> 0, 'id', request -> 'path' -> 1));
end $$;

comment on function service.refuse_unaffected(jsonb, boolean) is
  'Says why a write touched no row: GW403 WRITE_DENIED when the caller sees the row, GW404 NOT_FOUND when not.';

revoke all on function service.refuse_unaffected(jsonb, boolean) from public;
grant execute on function service.refuse_unaffected(jsonb, boolean) to service_user;
--! EndIncluded write/refuse_unaffected.sql
--! Included write/require_key.sql
-- An id that cannot be of the key's type names no row.
create or replace function service.require_key(served service.collections, id text) returns void
  language plpgsql stable as $$
declare
  part record;
begin
  for part in
    select p.sql_type, case cardinality(served.key) when 1 then id else (string_to_array(id, ':::'))[k.n] end as value
    from unnest(served.key) with ordinality k (name, n)
    join service.properties p on p.collection = served.slug and p.name = k.name
  loop
    continue when part.sql_type = 'text';
    execute format('select %L::%s', part.value, part.sql_type);
  end loop;
exception when data_exception then
  perform service.refuse_unaffected(jsonb_build_object('op', 'update', 'path', jsonb_build_array(served.slug, id)), false);
end $$;

comment on function service.require_key(service.collections, text) is 'Nothing, or GW404 NOT_FOUND when an id cannot be of the type of the collection''s key.';

revoke all on function service.require_key(service.collections, text) from public;
--! EndIncluded write/require_key.sql
--! Included write/require_known_fields.sql
create or replace function service.require_known_fields(served service.collections, body jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  to_many text[];
  unknown text[];
begin
  select array_agg(b order by b) filter (where r.kind <> 'belongsTo'), array_agg(b order by b) filter (where r.name is null)
    into to_many, unknown
  from jsonb_object_keys(body) b
  left join service.relations r on r.collection = served.slug and r.name = b
  where not exists (select from service.properties p where p.collection = served.slug and b in (p.name, p.column_name));
  if unknown is not null and served.strict_writes then
    perform service.fail(400, 'VALIDATION_UNKNOWN_FIELDS',
      format('%s has no field %s. It has %s.', served.slug, array_to_string(unknown, ', '), array_to_string(array(select jsonb_array_elements_text(service.valid_fields(served.slug, roles))), ', ')),
      jsonb_build_object('collection', served.slug, 'fields', unknown));
  end if;
  if to_many is not null then
    perform service.fail(501, 'NOT_IMPLEMENTED', 'Writing related rows inside a body is not available yet.', jsonb_build_object('collection', served.slug, 'fields', to_many));
  end if;
end $$;

comment on function service.require_known_fields(service.collections, jsonb, text[]) is
  'Nothing, or GW400 VALIDATION_UNKNOWN_FIELDS {collection, fields} for names that are no field of the collection.';

revoke all on function service.require_known_fields(service.collections, jsonb, text[]) from public;
--! EndIncluded write/require_known_fields.sql
--! Included write/require_open_fields.sql
create or replace function service.require_open_fields(served service.collections, op text, body jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  closed text[];
  unwritable text[];
begin
  select array_agg(b.key order by b.key) filter (where p.excluded or p.write_roles = '{}' or (p.generated and not (op = 'update' and p.name = any (served.key)) and b.value not in ('null', '""'))),
    array_agg(b.key order by b.key) filter (where p.write_roles <> '{}' and not p.write_roles && roles and not 'admin' = any (roles))
    into closed, unwritable
  from jsonb_each(body) b
  left join service.relations r on r.collection = served.slug and r.name = b.key and r.kind = 'belongsTo'
  join service.properties p on p.collection = served.slug and (b.key in (p.name, p.column_name) or p.column_name = r.local_columns[1]);
  if closed is not null then
    perform service.fail(400, 'VALIDATION_EXCLUDED_FIELDS', format('Nobody may write %s.', array_to_string(closed, ', ')),
      jsonb_build_object('collection', served.slug, 'fields', closed));
  end if;
  if unwritable is not null then
    perform service.fail(400, 'FIELD_NOT_WRITABLE', format('This caller may not write %s.', array_to_string(unwritable, ', ')),
      jsonb_build_object('collection', served.slug, 'fields', unwritable,
        'violations', (select jsonb_agg(jsonb_build_object('field', f, 'code', 'access', 'message', 'Writing it needs another role.')) from unnest(unwritable) f)));
  end if;
end $$;

comment on function service.require_open_fields(service.collections, text, jsonb, text[]) is
  'Nothing, or GW400 VALIDATION_EXCLUDED_FIELDS {collection, fields} for what nobody may write, FIELD_NOT_WRITABLE {collection, fields, violations} for what these roles may not.';

revoke all on function service.require_open_fields(service.collections, text, jsonb, text[]) from public;
--! EndIncluded write/require_open_fields.sql
--! Included write/require_response_fields.sql
create or replace function service.require_response_fields(collection text, fields jsonb) returns void
  language plpgsql stable as $$
declare
  unknown text := (select f from jsonb_array_elements_text(fields) f where (service.find_property(collection, f)).name is null limit 1);
begin
  if unknown is not null then
    perform service.fail(400, 'UNKNOWN_RESPONSE_FIELD', format('%s has no field %s to answer with.', collection, unknown),
      jsonb_build_object('field', unknown, 'collection', collection));
  end if;
end $$;

comment on function service.require_response_fields(text, jsonb) is 'Nothing, or GW400 UNKNOWN_RESPONSE_FIELD {field, collection} when a write asks to be answered with a field that is not there.';

revoke all on function service.require_response_fields(text, jsonb) from public;
--! EndIncluded write/require_response_fields.sql
--! Included write/require_same_key.sql
create or replace function service.require_same_key(served service.collections, body jsonb, id text) returns void
  language plpgsql stable as $$
declare
  moved text[] := (
    select array_agg(s.field order by s.field)
    from service.body_columns(served, body) s
    join service.properties p on p.collection = served.slug and p.column_name = s.column_name
    join unnest(served.key) with ordinality k (name, n) on k.name = p.name
    where (s.value #>> '{}') is distinct from (case cardinality(served.key) when 1 then id else (string_to_array(id, ':::'))[k.n] end));
begin
  if moved is not null then
    perform service.fail(400, 'KEY_IMMUTABLE', format('%s is the key of %s and cannot be changed.', array_to_string(moved, ', '), served.slug),
      jsonb_build_object('collection', served.slug, 'violations', (
        select jsonb_agg(jsonb_build_object('field', f, 'code', 'key_immutable', 'message', 'The key of a row cannot be changed.')) from unnest(moved) f)));
  end if;
end $$;

comment on function service.require_same_key(service.collections, jsonb, text) is
  'Nothing, or GW400 KEY_IMMUTABLE {collection, violations} when an update sends another key than that of its row.';

revoke all on function service.require_same_key(service.collections, jsonb, text) from public;
--! EndIncluded write/require_same_key.sql
--! Included write/require_valid_values.sql
create or replace function service.require_valid_values(served service.collections, op text, body jsonb) returns void
  language plpgsql stable as $$
declare
  violations jsonb;
  only_types boolean;
  messages jsonb;
begin
  select jsonb_agg(jsonb_build_object('field', v.field, 'code', v.code, 'message', v.message) order by v.field, v.code), bool_and(v.code = 'type'), jsonb_agg(v.message order by v.field, v.code)
    into violations, only_types, messages
  from (
    select m.* from service.missing_values(served, op, body) m
    union all
    select v.* from service.body_columns(served, body) s, service.violations(s.field, s.value, s.type, s.sql_type, s.attributes) v
  ) v;
  if violations is not null then
    perform service.fail(400, case when only_types then 'VALIDATION_INVALID_VALUE' else 'VALIDATION_CONSTRAINT' end,
      (select string_agg(m, ' ') from jsonb_array_elements_text(messages) m),
      jsonb_build_object('collection', served.slug, 'violations', violations, 'messages', messages));
  end if;
end $$;

comment on function service.require_valid_values(service.collections, text, jsonb) is
  'Nothing, or every broken rule of a body at once: GW400 VALIDATION_INVALID_VALUE when values are of the wrong type only, else VALIDATION_CONSTRAINT; details {collection, violations: [{field, code, message}], messages}.';

revoke all on function service.require_valid_values(service.collections, text, jsonb) from public;
--! EndIncluded write/require_valid_values.sql
--! Included write/stored_value.sql
create or replace function service.stored_value(value jsonb, type text, sql_type text, attributes jsonb) returns jsonb
  language sql immutable
  return case
    when value = 'null' then value
    when sql_type = 'bytea' then to_jsonb('\x' || encode(decode(value #>> '{}', 'base64'), 'hex'))
    -- These columns hold UTC; an offset that the client sent is honoured.
    when sql_type = 'timestamp without time zone' then to_jsonb(((value #>> '{}')::timestamptz at time zone 'UTC')::text)
    when type = 'string' and jsonb_typeof(value) = 'string' then to_jsonb(service.normalized_text(value #>> '{}', attributes -> 'validation'))
    else value
  end;

comment on function service.stored_value(jsonb, text, text, jsonb) is
  'A sent value as it is stored: base64 decoded for bytea, UTC for timestamps without a zone, trim, lowercase and uppercase applied.';

revoke all on function service.stored_value(jsonb, text, text, jsonb) from public;
--! EndIncluded write/stored_value.sql
--! Included write/type_in_words.sql
create or replace function service.type_in_words(type text, sql_type text) returns text
  language sql immutable parallel safe
  return case type
    when 'string' then case sql_type when 'uuid' then 'a UUID' else 'a text' end
    when 'number' then 'a number'
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
--! Included write/update_statement.sql
-- An empty update still touches the row, so that triggers that stamp it run.
create or replace function service.update_statement(served service.collections, payload jsonb, key text) returns text
  language sql stable
begin atomic
  select format('update %1$I.%2$I t set %3$s from jsonb_populate_record(null::%1$I.%2$I, $1) r where %4$s', served.schema_name, served.table_name,
    coalesce(
      (select string_agg(format('%1$I = r.%1$I', k), ', ' order by k) from jsonb_object_keys(payload) k),
      (select format('%1$I = t.%1$I', p.column_name) from service.properties p where p.collection = served.slug and not p.generated order by p.position limit 1)),
    key);
end;

comment on function service.update_statement(service.collections, jsonb, text) is 'SQL text that writes the columns of a payload ($1) into the row with an id ($2).';

revoke all on function service.update_statement(service.collections, jsonb, text) from public;
--! EndIncluded write/update_statement.sql
--! Included write/user_stamps.sql
create or replace function service.user_stamps(served service.collections, op text, uid text) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_object_agg(p.column_name, nullif(uid, 'anonymous')), '{}')
  from service.properties p
  where p.collection = served.slug
    and p.attributes ->> 'autoValue' = any (case op when 'create' then array['user_on_create', 'user_on_update'] else array['user_on_update'] end);
end;

comment on function service.user_stamps(service.collections, text, text) is 'The columns that carry who wrote a row, by column; null for a visitor without a sign-in.';

revoke all on function service.user_stamps(service.collections, text, text) from public;
--! EndIncluded write/user_stamps.sql
--! Included write/violations.sql
-- The rules of one value. null is exempt: required has its own test. Numeric text is judged as a number.
create or replace function service.violations(field text, value jsonb, type text, sql_type text, attributes jsonb)
  returns table (field_path text, code text, message text)
  language plpgsql stable as $$
declare
  rules jsonb := coalesce(attributes -> 'validation', '{}');
  text text := value #>> '{}';
begin
  if value = 'null' then
    return;
  end if;
  if not service.fits_type(value, type, sql_type) then
    return query select violations.field, 'type', format('%s must be %s.', violations.field, service.type_in_words(type, sql_type));
    return;
  end if;
  if attributes ? 'enum' and not attributes -> 'enum' @> jsonb_build_array(value) then
    return query select violations.field, 'enum', format('%s must be one of %s.', violations.field, (select string_agg(e, ', ') from jsonb_array_elements_text(attributes -> 'enum') e));
  end if;
  return query
    select violations.field, r.code, coalesce(case r.code when 'pattern' then rules ->> 'matchesMessage' end, r.message)
    from service.broken_rules(violations.field, value, type, case when type = 'string' then service.normalized_text(text, rules) else text end,
      rules || jsonb_strip_nulls(jsonb_build_object('email', attributes -> 'email', 'url', attributes -> 'url', 'max', coalesce(rules -> 'max', attributes -> 'maxLength')))) r;
  if type = 'array' and attributes ? 'of' then
    return query
      select v.* from jsonb_array_elements(value) with ordinality e (item, n),
        service.violations(format('%s[%s]', violations.field, n - 1), item, attributes -> 'of' ->> 'type', null, attributes -> 'of') v;
  elsif type = 'map' and attributes ? 'properties' and jsonb_typeof(value) = 'object' then
    return query
      select v.* from jsonb_each(attributes -> 'properties') p,
        service.violations(violations.field || '.' || p.key, coalesce(value -> p.key, 'null'), p.value ->> 'type', null, p.value) v;
  end if;
end $$;

comment on function service.violations(text, jsonb, text, text, jsonb) is
  'The rules of its property that a sent value breaks, elements of arrays and parts of maps included, by path (tags[2], address.zip): code type, enum, or that of service.broken_rules.';

revoke all on function service.violations(text, jsonb, text, text, jsonb) from public;
--! EndIncluded write/violations.sql
--! Included write/write.sql
-- One write, in the caller's own implicit transaction: enter, check what was sent, run it as the caller under row
-- security, read the row back as the caller may read it. Nothing here catches an error: a failed write leaves nothing.
-- reply: the compiled statement of the row's read, when the gateway has it; compiling it here costs half a millisecond.
create or replace function service.write(claims text, request jsonb, reply text default null) returns json
  language plpgsql volatile as $$
declare
  plan record;
  key text := request -> 'path' ->> 1;
  affected bigint;
  body json;
begin
  perform service.enter(claims);
  plan := service.write_plan(request, string_to_array(service.roles(), ','), service.uid(), reply is null);
  if plan.returns_key then
    execute plan.statement into key using plan.payload, key;
  else
    execute plan.statement using plan.payload, key;
  end if;
  get diagnostics affected = row_count;
  if affected = 0 then
    execute plan.visible into body using key;
    perform service.refuse_unaffected(request, body is not null);
  end if;
  if request ->> 'op' = 'delete' or request ->> 'return' = 'minimal' then
    return null;
  end if;
  perform set_config('transaction_read_only', 'on', true);
  execute coalesce(reply, plan.reply) into body using claims, key;
  return body;
end $$;

comment on function service.write(text, jsonb, text) is
  'Creates, updates or deletes one row as the caller with these claims. request: {"op": "create"|"update"|"delete", "path": [slug] or [slug, id], "body": object, "return": "minimal"?, "fields": [names]?}. Returns the row as this caller reads it; null for delete and return=minimal. Errors: GW400 VALIDATION_EXCLUDED_FIELDS, VALIDATION_UNKNOWN_FIELDS, VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE, FIELD_NOT_WRITABLE, KEY_IMMUTABLE, UNKNOWN_RESPONSE_FIELD; GW403 WRITE_DENIED; GW404 NOT_FOUND; and the database''s own, rolled back as a whole.';

revoke all on function service.write(text, jsonb, text) from public;
grant execute on function service.write(text, jsonb, text) to service_user;
--! EndIncluded write/write.sql
--! Included write/write_plan.sql
-- Everything about a write that needs the catalog, which the end-user role cannot read: names and rules are checked
-- here, and what comes back is plain SQL that runs as the caller.
create or replace function service.write_plan(request jsonb, roles text[], uid text, wants_reply boolean,
  out statement text, out payload jsonb, out returns_key boolean, out visible text, out reply text)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  served service.collections;
  op text := request ->> 'op';
  key text;
begin
  perform service.path_collection(jsonb_build_array(request -> 'path' -> 0));
  select c.* into served from service.collections c where c.slug = request -> 'path' ->> 0;
  if served.read_only then
    perform service.fail(403, 'WRITE_DENIED', format('%s is read-only.', served.slug));
  end if;
  if op <> 'create' then
    perform service.require_key(served, request -> 'path' ->> 1);
  end if;
  key := substr(service.key_predicate(served.slug, 't', '2'), 6);
  visible := format('select ''{}''::json from %I.%I t where %s', served.schema_name, served.table_name, replace(key, '$2', '$1'));
  returns_key := op = 'create' and coalesce(request ->> 'return', '') <> 'minimal';
  if op <> 'delete' then
    payload := service.checked_body(served, op, request -> 'body', request -> 'path' ->> 1, roles, uid);
  end if;
  statement := case op
    when 'create' then service.insert_statement(served, payload, returns_key)
    when 'update' then service.update_statement(served, payload, key)
    when 'delete' then format('delete from %I.%I t where %s', served.schema_name, served.table_name, key)
  end;
  if op <> 'delete' and request ? 'fields' then
    perform service.require_response_fields(served.slug, request -> 'fields');
  end if;
  if wants_reply and op <> 'delete' then
    reply := (service.compile(jsonb_strip_nulls(jsonb_build_object('op', 'get', 'path', jsonb_build_array(served.slug, 2), 'fields', request -> 'fields')), roles)).statement;
  end if;
end $$;

comment on function service.write_plan(jsonb, text[], text, boolean) is
  'A write request checked and turned into SQL: the statement ($1 = payload, $2 = id), the values by column, whether the statement returns the new key, a probe for whether the row is visible ($1 = id), and the read of the reply. Errors as service.write.';

revoke all on function service.write_plan(jsonb, text[], text, boolean) from public;
grant execute on function service.write_plan(jsonb, text[], text, boolean) to service_user;
--! EndIncluded write/write_plan.sql

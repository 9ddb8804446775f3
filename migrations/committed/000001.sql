--! Previous: -
--! Hash: sha1:e8f617ea30b44cf15ee5a1e6bb8ee18d50a3a5ea

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
-- does not, nothing is written.
create or replace function service.introspect(schema text, unprotected text) returns boolean
  language plpgsql volatile as $$
declare
  found text := (
    select service.fingerprint(array_agg(line)) from (
      select to_jsonb(c)::text as line from service.introspected_collections(introspect.schema, introspect.unprotected) c
      union all select to_jsonb(p)::text from service.introspected_properties(introspect.schema, introspect.unprotected) p
      union all select to_jsonb(r)::text from service.introspected_relations(introspect.schema, introspect.unprotected) r) l);
begin
  if found = (select c.schema_version from service.catalog c) then
    return false;
  end if;
  delete from service.collections where source = 'introspected';
  insert into service.collections select * from service.introspected_collections(introspect.schema, introspect.unprotected);
  insert into service.properties select * from service.introspected_properties(introspect.schema, introspect.unprotected);
  insert into service.relations select * from service.introspected_relations(introspect.schema, introspect.unprotected);
  update service.catalog set version = version + 1, schema_version = found;
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
  return true;
end $$;

comment on function service.introspect(text, text) is
  'Reads the tables of a schema into the catalog (unprotected: skip or serve those without row security). True when the catalog changed; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with an advisory lock.';

revoke all on function service.introspect(text, text) from public;
--! EndIncluded catalog/introspect.sql
--! Included catalog/is_junction.sql
-- A pure junction: exactly two foreign keys of one column each, together unique, nothing else that a client would
-- write (generated columns, identities and timestamps the database fills do not count), and nobody refers to it.
create or replace function service.is_junction(relation oid) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with key as (
    select f.conkey[1] as attnum, cardinality(f.conkey) as width
    from pg_constraint f where f.conrelid = is_junction.relation and f.contype = 'f'
  )
  select (select count(*) = 2 and count(distinct k.attnum) = 2 and max(k.width) = 1 from key k)
    and exists (
      select from pg_index i
      where i.indrelid = is_junction.relation and i.indisunique and i.indpred is null and i.indnkeyatts = 2
        and (i.indkey::smallint[])[0] in (select k.attnum from key k) and (i.indkey::smallint[])[1] in (select k.attnum from key k))
    and not exists (
      select from pg_attribute a
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = is_junction.relation and a.attnum > 0 and not a.attisdropped
        and a.attnum not in (select k.attnum from key k)
        and a.attidentity = '' and a.attgenerated = ''
        and not (d.oid is not null and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype))
        and not coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval(%', false))
    and not exists (select from pg_constraint f where f.confrelid = is_junction.relation and f.contype = 'f');
end;

comment on function service.is_junction(oid) is 'Whether a table only links two others, so that it becomes a many-to-many relation instead of a collection.';

revoke all on function service.is_junction(oid) from public;
--! EndIncluded catalog/is_junction.sql
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
-- that are.
create or replace function service.introspected_tables(schema text, unprotected text)
  returns table (oid oid, slug text, kind "char", key smallint[], junction boolean, reason text, remedy text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with relation as (
    select c.oid, c.relname::text as name, c.relkind, c.relrowsecurity, obj_description(c.oid, 'pg_class') as description,
      coalesce((select array_agg(k.attnum order by k.n) from pg_constraint p, unnest(p.conkey) with ordinality k (attnum, n)
        where p.conrelid = c.oid and p.contype = 'p'), service.view_key(c.oid)) as key,
      exists (select from pg_policy p where p.polrelid = c.oid) as has_policy,
      coalesce('security_invoker=true' = any (c.reloptions) or 'security_invoker=on' = any (c.reloptions) or 'security_invoker=1' = any (c.reloptions) or 'security_invoker=yes' = any (c.reloptions), false) as invoker
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = introspected_tables.schema
      and c.relkind in ('r', 'p', 'v')
      and not c.relispartition
      and c.relname not like 'drizzle\_%'
      -- What an extension brought belongs to it.
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  )
  select r.oid, r.name, r.relkind, r.key, service.is_junction(r.oid),
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
-- format_type writes "character" for bpchar, which as a cast means one character.
create or replace function service.sql_type(type oid) returns text
  language sql stable
  return replace(format_type(service.base_type(type), null), 'character', case when service.base_type(type) in ('bpchar'::regtype, 'bpchar[]'::regtype) then 'bpchar' else 'character' end);

comment on function service.sql_type(oid) is 'The name to cast a value to, so that it has a column''s type: schema-qualified, without length, a domain''s base type.';

revoke all on function service.sql_type(oid) from public;
--! EndIncluded catalog/sql_type.sql
--! Included catalog/introspected_properties.sql
create or replace function service.introspected_properties(schema text, unprotected text)
  returns setof service.properties
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with served as (
    select t.oid, t.slug, t.key from service.introspected_tables(introspected_properties.schema, introspected_properties.unprotected) t
    where t.reason is null and not t.junction
  ), named as (
    select s.slug, s.key, a.*, service.camel_case(a.attname::text) as wire,
      -- Two columns, one wire name: the one that is spelled so keeps it, the other goes by its raw name.
      row_number() over (partition by a.attrelid, service.camel_case(a.attname::text) order by a.attname = service.camel_case(a.attname::text) desc, a.attnum) as claim
    from served s
    join pg_attribute a on a.attrelid = s.oid and a.attnum > 0 and not a.attisdropped
  )
  select n.slug, case n.claim when 1 then n.wire else n.attname::text end, n.attname::text, n.attnum::integer,
    service.property_type(n.atttypid), service.sql_type(n.atttypid), n.attnotnull,
    n.attnotnull and not n.atthasdef and n.attidentity = '' and n.attgenerated = '',
    n.attidentity = 'a' or n.attgenerated <> '',
    n.atttypid in ('tsvector'::regtype, 'tsquery'::regtype),
    null::text[], null::text[],
    jsonb_strip_nulls(jsonb_build_object(
      'description', col_description(n.attrelid, n.attnum),
      'enum', (select jsonb_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = service.base_type(n.atttypid)),
      'maxLength', case when service.base_type(n.atttypid) in ('varchar'::regtype, 'bpchar'::regtype) and n.atttypmod > 4 then n.atttypmod - 4 end,
      'dimensions', case when service.property_type(n.atttypid) = 'vector' and n.atttypmod > 0 then n.atttypmod end,
      'isId', case when n.attnum = any (n.key) then
        case when n.atttypid = 'uuid'::regtype then '"uuid"'::jsonb when service.property_type(n.atttypid) = 'number' then '"increment"' else 'true' end end))
  from named n;
end;

comment on function service.introspected_properties(text, text) is
  'The columns of the served tables of a schema as rows of service.properties. Text search columns are kept out of the API; generated ones are read-only.';

revoke all on function service.introspected_properties(text, text) from public;
--! EndIncluded catalog/introspected_properties.sql
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
create or replace function service.introspected_collections(schema text, unprotected text)
  returns setof service.collections
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with property as materialized (
    select p.collection, p.name, p.position from service.introspected_properties(introspected_collections.schema, introspected_collections.unprotected) p
  )
  select t.slug, 'introspected', service.humanize(t.slug), service.humanize(service.singular(t.slug)),
    nullif(trim(regexp_replace(coalesce(obj_description(t.oid, 'pg_class'), ''), '@key [^\n]+', '')), ''),
    introspected_collections.schema, t.slug,
    (select array_agg(p.name order by k.n) from unnest(t.key) with ordinality k (attnum, n) join property p on p.position = k.attnum where p.collection = t.slug),
    true, t.kind = 'v', true, '{}'::jsonb, null::jsonb
  from service.introspected_tables(introspected_collections.schema, introspected_collections.unprotected) t
  where t.reason is null and not t.junction;
end;

comment on function service.introspected_collections(text, text) is 'The served tables and views of a schema as rows of service.collections; views are read-only.';

revoke all on function service.introspected_collections(text, text) from public;
--! EndIncluded catalog/introspected_collections.sql
--! Included catalog/introspected_relations.sql
-- Each foreign key is a belongsTo on its own side and a hasMany (hasOne, when the columns are unique) on the other;
-- a pure junction is a manyToMany on both. A name that is taken gets a number.
create or replace function service.introspected_relations(schema text, unprotected text)
  returns setof service.relations
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with served as (
    select t.oid, t.slug, t.key, t.junction from service.introspected_tables(introspected_relations.schema, introspected_relations.unprotected) t
    where t.reason is null
  ), property as materialized (
    select p.collection, p.name, p.column_name from service.introspected_properties(introspected_relations.schema, introspected_relations.unprotected) p
  ), foreign_key as (
    select f.oid, f.conrelid, f.confrelid, f.conkey, child.slug as child, child.junction, parent.slug as parent,
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
      introspected_relations.schema, here.child, here.child_columns, there.child_columns, 3, here.oid
    from foreign_key here join foreign_key there on there.conrelid = here.conrelid and there.oid <> here.oid
    where here.junction
  ), numbered as (
    select c.*, row_number() over (partition by c.collection, c.name order by c.rank, c.tie)
      + case when c.name in ('count', 'aggregate', 'bulk', 'history') or exists (
          select from property p where p.collection = c.collection and p.name = c.name and not (c.kind = 'belongsTo' and p.column_name = any (c.local_columns)))
        then 1 else 0 end as n
    from candidate c
  )
  select n.collection, case n.n when 1 then n.name else n.name || '_' || n.n end, n.kind, n.target, n.local_columns, n.target_columns,
    n.junction_schema, n.junction_table, n.junction_source, n.junction_target, null::jsonb, null::text
  from numbered n;
end;

comment on function service.introspected_relations(text, text) is
  'The relations of the served tables of a schema as rows of service.relations: belongsTo named after the column without _id, its inverse and many-to-many named after the table they lead to.';

revoke all on function service.introspected_relations(text, text) from public;
--! EndIncluded catalog/introspected_relations.sql
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
create or replace function service.on_ddl() returns event_trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('service_catalog', 'ddl');
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
--! Included read/base64url.sql
create or replace function service.base64url(bytes bytea) returns text
  language sql immutable parallel safe
  return translate(encode(bytes, 'base64'), '+/=' || chr(10), '-_');

comment on function service.base64url(bytea) is 'RFC 4648 base64url without padding.';

revoke all on function service.base64url(bytea) from public;
--! EndIncluded read/base64url.sql
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
--! Included read/scalar_value.sql
-- Dates are ISO 8601 in UTC with milliseconds; JSON has no infinity and no NaN, so they are null; numbers keep every
-- digit; what JSON has no form for is PostgreSQL's own text.
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
    when sql_type in ('smallint', 'integer', 'bigint', 'boolean', 'text', 'character varying', 'bpchar', 'uuid', 'json', 'jsonb') then expression
    else expression || '::text'
  end;

comment on function service.scalar_value(text, text) is
  'SQL text of a value of a type that is no array, as it stands in JSON: UTC dates with milliseconds, finite numbers with every digit, base64 for bytea, arrays of numbers for vectors, text for whatever JSON does not know.';

revoke all on function service.scalar_value(text, text) from public;
--! EndIncluded read/scalar_value.sql
--! Included read/column_value.sql
-- Arrays of types that JSON shows as they are need no work; others are rebuilt element by element.
create or replace function service.column_value(expression text, sql_type text) returns text
  language sql immutable parallel safe
  return case
    when sql_type not like '%[]' then service.scalar_value(expression, sql_type)
    when service.scalar_value('e', rtrim(sql_type, '[]')) in ('e', 'e::text') then expression
    else format('case when %1$s is not null then array(select %2$s from unnest(%1$s) with ordinality u (e, n) order by n) end', expression, service.scalar_value('e', rtrim(sql_type, '[]')))
  end;

comment on function service.column_value(text, text) is 'SQL text of a column as it stands in JSON: service.scalar_value, for arrays element by element.';

revoke all on function service.column_value(text, text) from public;
--! EndIncluded read/column_value.sql
--! Included read/comparison.sql
create or replace function service.comparison(expression text, property service.properties, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record;
  -- '[3]' is a list parameter, '3' a scalar one.
  list boolean := jsonb_typeof(condition -> 1) = 'array';
  parameter integer := case when list then condition -> 1 ->> 0 else condition ->> 1 end;
  kind text := case when property.type in ('reference', 'relation') then 'string' else property.type end;
  json_array boolean := kind = 'array' and property.sql_type in ('json', 'jsonb');
begin
  select o.* into op from service.operators() o where o.operator = condition ->> 0;
  if op is null then
    perform service.fail(400, 'UNKNOWN_FILTER_OPERATOR', format('There is no operator %s.', condition ->> 0),
      jsonb_build_object('field', property.name, 'operator', condition ->> 0,
        'validOperators', (select jsonb_agg(o.operator) from service.operators() o)));
  end if;
  if kind in ('vector', 'geopoint') then
    perform service.fail(400, 'INVALID_FILTER_FIELD', format('Field %s of %s cannot be filtered.', property.name, property.collection),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'type', kind));
  end if;
  if not kind = any (op.families) then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to %s, which is of type %s.', op.operator, property.name, kind),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator, 'type', kind));
  end if;
  return case
    when json_array and op.takes <> 'nothing' then
      format('exists (select from jsonb_array_elements_text(%s::jsonb) e where e = %s)', expression,
        case when list then format('any ($%s::text[])', parameter) else format('$%s::text', parameter) end)
    when op.takes = 'text' then
      format(op.template, case when property.sql_type in ('text', 'character varying') then expression else expression || '::text' end, format('$%s::text', parameter))
    when kind = 'array' then
      -- The column's type is already an array: one element is cast to its element type.
      format(op.template, expression, service.value(parameter, case when list then property.sql_type else rtrim(property.sql_type, '[]') end))
    else
      format(op.template, expression, service.value(parameter, property.sql_type, list))
  end;
end $$;

comment on function service.comparison(text, service.properties, jsonb) is
  'SQL text of one condition [operator, parameter] on a column expression. GW400 UNKNOWN_FILTER_OPERATOR, INVALID_FILTER_FIELD (a type that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';

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
  statement := case shape ->> 'op'
    when 'list' then service.statement_list(collection, shape, roles)
    when 'get' then service.statement_get(collection, shape, roles)
    when 'count' then service.statement_count(collection, shape, roles)
  end;
  lane := case when shape ->> 'op' = 'get' then 'point' else 'scan' end;
  enter_first := service.needs_entering(statement);
end $$;

comment on function service.compile(jsonb, text[]) is
  'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include …}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before (partitioned tables whose policies call identity functions bare). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 for what is parsed but not compiled.';

revoke all on function service.compile(jsonb, text[]) from public;
--! EndIncluded read/compile.sql
--! Included read/condition.sql
-- A field name means, in this order: a column, a relation (membership), a path inside JSON, a column of a relation.
create or replace function service.condition(collection text, alias text, field text, condition jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  property service.properties := service.find_property(collection, split_part(field, '->', 1));
  relation service.relations;
begin
  if property.name is not null then
    perform service.require_readable(property, roles);
    return case when position('->' in field) > 0
      then service.json_comparison(format('%s.%I', alias, property.column_name), property, field, condition)
      else service.comparison(format('%s.%I', alias, property.column_name), property, condition) end;
  end if;
  relation := service.find_relation(collection, split_part(field, '.', 1));
  if relation.name = field then
    return service.membership(relation, alias, condition, roles);
  end if;
  if relation.name is not null and field not like '%.%.%' then
    return service.related_condition(relation, alias, split_part(field, '.', 2), condition, roles);
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
  compiled record := service.compile(hoisted.shape, string_to_array(claims ->> 'roles', ','));
  before text[] := array[current_setting('app.uid', true), current_setting('app.user_roles', true), current_setting('app.is_anonymous', true), current_setting('app.jwt', true)];
  line text;
  role_before text := current_setting('role');
  arguments text := (select string_agg(quote_literal(p), ', ' order by n) from unnest(array[claims::text] || hoisted.parameters) with ordinality u (p, n));
begin
  perform set_config('role', 'service_user', true);
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
begin
  return convert_from(service.from_base64url(split_part(token, '.', 1)), 'UTF8')::jsonb;
exception when data_exception then
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
  return next (service.compile((service.hoist(routed)).shape, string_to_array(claims ->> 'roles', ','))).statement;
  return query select * from service.run(routed, claims, 'explain (analyze, buffers)');
end $$;

comment on function service.explain(text, json, jsonb) is
  'The statement of a list, then its plan, run for real as the caller with these claims (by default the service key).';

revoke all on function service.explain(text, json, jsonb) from public;
--! EndIncluded read/explain.sql
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
--! Included read/hoist.sql
-- The same step that the gateway takes for a URL: values out, parameter numbers in, in the order of the document
-- (json, not jsonb, keeps it). $1 is the claims.
create or replace function service.hoist(request json, out shape jsonb, out parameters text[])
  language plpgsql stable as $$
declare
  part record;
  page_size integer := coalesce((request ->> 'limit')::integer, 50);
  cursor jsonb;
begin
  parameters := '{}';
  shape := jsonb_build_object('op', request ->> 'op');
  part := service.hoist_path(request -> 'path', parameters);
  shape := shape || jsonb_build_object('path', part.path);
  parameters := part.parameters;
  part := service.hoist_node(request, parameters);
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
          select jsonb_agg(jsonb_build_object('field', key -> 0, 'direction', key -> 1, 'nulls', key -> 2) order by n)
          from jsonb_array_elements(cursor -> 'k') with ordinality k (key, n)));
      end if;
    end if;
    if request ->> 'count' in ('none', 'estimated') then
      shape := shape || jsonb_build_object('count', request ->> 'count');
    end if;
  end if;
end $$;

comment on function service.hoist(json) is
  'Takes the values out of a request {op, path: [slug, id, relation …], where: {field: [operator, value] or a list of those}, logical, orderBy: [{field, direction, nulls}], limit, offset, after, fields, include, count}: the shape that service.compile reads, and the values of $2 onwards. GW400 INVALID_CURSOR.';

revoke all on function service.hoist(json) from public;
--! EndIncluded read/hoist.sql
--! Included read/hoist_condition.sql
create or replace function service.hoist_condition(condition json, inout parameters text[], out hoisted jsonb)
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
    parameters := parameters || array(select v from json_array_elements_text(value) v)::text;
    hoisted := jsonb_build_array(op, jsonb_build_array(cardinality(parameters) + 1));
    return;
  end if;
  parameters := parameters || (condition ->> 1);
  hoisted := jsonb_build_array(op, cardinality(parameters) + 1);
  if json_typeof(value) = 'number' then
    hoisted := hoisted || '["number"]';
  end if;
end $$;

comment on function service.hoist_condition(json, text[]) is 'One condition [operator, value] with its value taken out: [operator, parameter number], [operator, [number]] for a list.';

revoke all on function service.hoist_condition(json, text[]) from public;
--! EndIncluded read/hoist_condition.sql
--! Included read/hoist_logical.sql
create or replace function service.hoist_logical(logical json, inout parameters text[], out node jsonb)
  language plpgsql immutable as $$
declare
  part record;
  child json;
begin
  if logical -> 'conditions' is null then
    part := service.hoist_condition(json_build_array(logical -> 'operator', logical -> 'value'), parameters);
    parameters := part.parameters;
    node := jsonb_build_object('column', logical ->> 'column', 'condition', part.hoisted);
    return;
  end if;
  node := jsonb_build_object('type', logical ->> 'type', 'conditions', '[]'::jsonb);
  for child in select c.value from json_array_elements(logical -> 'conditions') c loop
    part := service.hoist_logical(child, parameters);
    parameters := part.parameters;
    node := jsonb_set(node, '{conditions}', node -> 'conditions' || jsonb_build_array(part.node));
  end loop;
end $$;

comment on function service.hoist_logical(json, text[]) is 'A logical group {type, conditions} of groups and leaves {column, operator, value}, its values taken out.';

revoke all on function service.hoist_logical(json, text[]) from public;
--! EndIncluded read/hoist_logical.sql
--! Included read/hoist_node.sql
create or replace function service.hoist_node(request json, inout parameters text[], out node jsonb)
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
        part := service.hoist_condition(condition, parameters);
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
  if request -> 'include' is not null then
    node := node || jsonb_build_object('include', '{}'::jsonb);
    for field, child in select i.key, i.value from json_each(
      case json_typeof(request -> 'include') when 'array' then (select json_object_agg(name, '{}'::json) from json_array_elements_text(request -> 'include') name) else request -> 'include' end) i loop
      part := service.hoist_node(case json_typeof(child) when 'object' then child else '{}' end, parameters);
      hoisted := part.node;
      parameters := part.parameters;
      if json_typeof(child) = 'object' and child ->> 'limit' is not null then
        parameters := parameters || (child ->> 'limit');
        hoisted := hoisted || jsonb_build_object('limit', cardinality(parameters) + 1);
      end if;
      node := jsonb_set(node, array['include', field], hoisted);
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

comment on function service.hoist_node(json, text[]) is 'The part of a request that an include node has too ({where, logical, include, orderBy, fields}), its values taken out.';

revoke all on function service.hoist_node(json, text[]) from public;
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
  name text;
  child jsonb;
  relation service.relations;
  n integer := 0;
  part record;
begin
  ctes := '';
  joins := '';
  columns := '';
  for name, child in
    select r.key, r.value from jsonb_each(node -> 'include') r where r.key <> '*'
    union all
    select r.name, node -> 'include' -> '*' from service.relations r
    where r.collection = include.collection and node -> 'include' ? '*' and not node -> 'include' ? r.name
    order by 1
  loop
    relation := service.find_relation(collection, name);
    if relation.name is null then
      perform service.fail(400, 'UNKNOWN_RELATION', format('%s has no relation %s.', collection, name),
        jsonb_build_object('relation', name, 'collection', collection, 'validRelations', service.valid_relations(collection)));
    end if;
    n := n + 1;
    part := service.include_relation(relation, rows_name, rows_name || '_' || n, child, roles);
    ctes := ctes || part.ctes;
    joins := joins || part.joins;
    columns := columns || part.columns;
  end loop;
end $$;

comment on function service.include(text, text, jsonb, text[]) is
  'SQL text for the included relations of a set of rows (a CTE): further CTEs, the joins to them (alias t for the rows) and the columns they add. GW400 UNKNOWN_RELATION {relation, collection, validRelations}.';

revoke all on function service.include(text, text, jsonb, text[]) from public;
--! EndIncluded read/include.sql
--! Included read/include_relation.sql
create or replace function service.include_relation(relation service.relations, parent_rows text, rows_name text, node jsonb, roles text[],
  out ctes text, out joins text, out columns text)
  language plpgsql stable as $$
declare
  target service.collections;
  nested record;
  -- The columns of this level's rows that lead back to the parent: the target's own, or the junction's under names of ours.
  back text[] := case when relation.junction_table is null then relation.target_columns
    else array(select '~' || c from unnest(relation.junction_source) c) end;
  source text;
begin
  select c.* into target from service.collections c where c.slug = relation.target;
  nested := service.include(relation.target, rows_name, node, roles);
  source := case when relation.junction_table is null
    then format('select t.* from %I.%I t where ctx.ok and %s', target.schema_name, target.table_name,
      service.reached_by('t', relation.target_columns, parent_rows, relation.local_columns))
    else format('select t.*, %s from %I.%I j join %I.%I t on %s where ctx.ok and %s',
      (select string_agg(format('j.%I as %I', c, '~' || c), ', ') from unnest(relation.junction_source) c),
      relation.junction_schema, relation.junction_table, target.schema_name, target.table_name,
      service.column_pairs('t', relation.target_columns, 'j', relation.junction_target),
      service.reached_by('j', relation.junction_source, parent_rows, relation.local_columns)) end
    || coalesce(service.predicate(relation.target, 't', node, roles), '');
  -- A belongsTo leads to a key, so its rows need neither order nor grouping.
  ctes := case when relation.kind = 'belongsTo' then format(', %I as materialized (%s)', rows_name, source)
    else format(', %I as materialized (select * from (select t.*, row_number() over (partition by %s order by %s) as "~n" from (%s) t) t%s)',
      rows_name, service.column_list('t', back), service.order_by(relation.target, 't', node -> 'orderBy', roles), source,
      coalesce(' where t."~n" <= $' || (node ->> 'limit') || '::bigint', '')) end
    || nested.ctes
    || format(case when relation.kind = 'belongsTo' then ', %I as (select %s, row_to_json(d) as "~json" from %I t%s cross join lateral (select %s) d)'
        else ', %I as (select %s, json_agg(d order by t."~n") as "~json" from %I t%s cross join lateral (select %s) d group by %2$s)' end,
      rows_name || '_json', service.column_list('t', back), rows_name, nested.joins,
      service.row_columns(relation.target, 't', node, roles) || nested.columns);
  joins := format(' left join %I on %s', rows_name || '_json', service.column_pairs(quote_ident(rows_name || '_json'), back, 't', relation.local_columns));
  columns := format(case relation.kind when 'belongsTo' then ', %I."~json" as %I' when 'hasOne' then ', %I."~json" -> 0 as %I' else ', coalesce(%I."~json", ''[]'') as %I' end, rows_name || '_json', relation.name);
end $$;

comment on function service.include_relation(service.relations, text, text, jsonb, text[]) is
  'SQL text for one included relation: the CTE of its rows (limit a parent, in order), those of the relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column. To-one is an object or null, to-many an array.';

revoke all on function service.include_relation(service.relations, text, text, jsonb, text[]) from public;
--! EndIncluded read/include_relation.sql
--! Included read/json_comparison.sql
create or replace function service.json_comparison(expression text, property service.properties, path text, condition jsonb) returns text
  language plpgsql stable as $$
declare
  leaf text := service.json_path(expression, path);
  op text := condition ->> 0;
  list boolean := jsonb_typeof(condition -> 1) = 'array';
begin
  if property.type not in ('map', 'array') or property.sql_type not in ('json', 'jsonb') or op like 'array-%' then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to the path %s.', op, path),
      jsonb_build_object('field', path, 'collection', property.collection, 'operator', op));
  end if;
  if condition ->> 2 = 'number' and op in ('>', '>=', '<', '<=') then
    -- Rows whose leaf is no number are skipped; the CASE keeps the cast from seeing them.
    return format('case when %1$s ~ ''^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$'' then %1$s::numeric %2$s $%3$s::numeric else false end', leaf, op, condition ->> 1);
  end if;
  return format((select o.template from service.operators() o where o.operator = op), leaf,
    service.value(case when list then condition -> 1 ->> 0 else condition ->> 1 end::integer, 'text', list));
end $$;

comment on function service.json_comparison(text, service.properties, text, jsonb) is
  'SQL text of one condition on a path inside a JSON column: text comparison; numeric when an ordering operator was given a JSON number. GW400 INVALID_FILTER_OPERATOR for array operators or a column that is not JSON.';

revoke all on function service.json_comparison(text, service.properties, text, jsonb) from public;
--! EndIncluded read/json_comparison.sql
--! Included read/json_path.sql
-- Path segments are literals of the compiled text, quoted: they are part of the shape, never of SQL syntax.
create or replace function service.json_path(expression text, path text) returns text
  language sql immutable parallel safe
begin atomic
  select format('(%s::jsonb #>> array[%s]::text[])', expression, string_agg(quote_literal(segment), ', ' order by n))
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
  select string_agg(format(' and %s.%I = %s', alias, p.column_name,
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
  op text := condition ->> 0;
  positive text := case op when '!=' then '==' when 'not-in' then 'in' when 'array-contains' then '==' when 'array-contains-any' then 'in' else op end;
begin
  if relation.kind = 'via' then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER', format('Relation %s cannot be filtered.', relation.name),
      jsonb_build_object('field', relation.name, 'collection', relation.collection, 'relation', relation.name, 'kind', relation.kind));
  end if;
  if relation.kind = 'belongsTo' and cardinality(relation.local_columns) = 1 then
    key := service.find_property(relation.collection, relation.local_columns[1]);
    perform service.require_readable(key, roles);
    return service.comparison(format('%s.%I', alias, key.column_name), key, condition);
  end if;
  if positive not in ('==', 'in', 'is-null', 'is-not-null') then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER_OPERATOR', format('Operator %s does not apply to the relation %s.', op, relation.name),
      jsonb_build_object('field', relation.name, 'collection', relation.collection, 'operator', op));
  end if;
  reach := service.relation_from(relation, alias, target_alias);
  if positive like 'is-%' then
    return format('%s (select from %s)', case positive when 'is-null' then 'not exists' else 'exists' end, reach);
  end if;
  select p.* into key from service.collections c join service.properties p on p.collection = c.slug and p.name = c.key[1] where c.slug = relation.target;
  return format('%s (select from %s and %s)', case when op in ('!=', 'not-in') then 'not exists' else 'exists' end, reach,
    service.comparison(format('%s.%I', target_alias, key.column_name), key, jsonb_set(condition, '{0}', to_jsonb(positive))));
end $$;

comment on function service.membership(service.relations, text, jsonb, text[]) is
  'SQL text of a condition on a relation by its name: the foreign key of a belongsTo, else whether related rows (with these ids) exist. Negative operators mean that no related row matches. GW400 UNSUPPORTED_RELATION_FILTER, UNSUPPORTED_RELATION_FILTER_OPERATOR.';

revoke all on function service.membership(service.relations, text, jsonb, text[]) from public;
--! EndIncluded read/membership.sql
--! Included read/needs_entering.sql
-- The executor prunes partitions before it runs anything, with stable functions evaluated then: a policy that calls one
-- bare would see the caller of no request. Inside (select …) it waits. A view may hide such a table.
create or replace function service.needs_entering(statement text) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with bare as (
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_policy p
    join pg_class c on c.oid = p.polrelid and c.relkind = 'p'
    join pg_namespace n on n.oid = c.relnamespace
    where regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\( SELECT [\w.]+\([^()]*\)( AS \w+)?\)', '', 'g') ~ '\w\('
  )
  select exists (select from bare b where position(b.name in needs_entering.statement) > 0)
    or (exists (select from bare) and exists (
      select from service.collections c where c.read_only and position(format('%I.%I', c.schema_name, c.table_name) in needs_entering.statement) > 0));
end;

comment on function service.needs_entering(text) is
  'Whether a compiled statement touches a partitioned table whose policies call functions outside (select …), so that it must run in a transaction that has entered before.';

revoke all on function service.needs_entering(text) from public;
--! EndIncluded read/needs_entering.sql
--! Included read/order_keys.sql
-- Every ordering ends on the key, descending, so it is total; a key that is asked for is not added again.
create or replace function service.order_keys(collection text, alias text, requested jsonb, roles text[])
  returns table (n bigint, field text, expression text, sql_type text, direction text, nulls text, nullable boolean, is_key boolean)
  language plpgsql stable as $$
declare
  sort record;
  property service.properties;
  relation service.relations;
begin
  for sort in
    select k.value ->> 'field' as field, k.value ->> 'direction' as direction,
      coalesce(k.value ->> 'nulls', case k.value ->> 'direction' when 'desc' then 'first' else 'last' end) as nulls
    from jsonb_array_elements(requested) k
  loop
    property := service.find_property(collection, sort.field);
    relation := service.find_relation(collection, sort.field);
    if property.name is null and relation.kind = 'belongsTo' and cardinality(relation.local_columns) = 1 then
      property := service.find_property(collection, relation.local_columns[1]);
    end if;
    if sort.field ~ '^\s*(count|min|max|sum|avg)\s*\(' then
      perform service.fail(501, 'NOT_IMPLEMENTED', 'Ordering by an aggregate over a relation is not available yet.', jsonb_build_object('field', sort.field));
    elsif (property.name is null and relation.name is not null) or property.type in ('map', 'vector', 'geopoint', 'binary') or property.sql_type in ('json', 'jsonb', 'xml') then
      perform service.fail(400, 'ORDER_BY_FIELD_NOT_SORTABLE', format('%s cannot be sorted by %s.', collection, sort.field), jsonb_build_object('field', sort.field, 'collection', collection));
    elsif property.name is null then
      perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s has no field %s to sort by.', collection, sort.field),
        jsonb_build_object('field', sort.field, 'collection', collection, 'validFields', service.valid_fields(collection, roles)));
    end if;
    perform service.require_readable(property, roles);
    n := coalesce(n, 0) + 1;
    field := sort.field;
    expression := format('%s.%I', alias, property.column_name);
    sql_type := property.sql_type;
    direction := sort.direction;
    nulls := sort.nulls;
    nullable := not property.not_null;
    is_key := property.name = any ((select c.key from service.collections c where c.slug = collection)::text[]);
    return next;
  end loop;
  for property in
    select p.* from service.collections c, unnest(c.key) with ordinality k (name, m)
      join service.properties p on p.collection = order_keys.collection and p.name = k.name
    where c.slug = order_keys.collection
      and not exists (select from jsonb_array_elements(requested) r where r ->> 'field' in (p.name, p.column_name))
    order by k.m
  loop
    n := coalesce(n, 0) + 1;
    field := null;
    expression := format('%s.%I', alias, property.column_name);
    sql_type := property.sql_type;
    direction := 'desc';
    nulls := 'first';
    nullable := not property.not_null;
    is_key := true;
    return next;
  end loop;
end $$;

comment on function service.order_keys(text, text, jsonb, text[]) is
  'The keys of an ordering, complete: requested [{field, direction, nulls}] resolved to expressions, then the collection''s key descending (field null). GW400 UNKNOWN_ORDER_BY_FIELD, ORDER_BY_FIELD_NOT_SORTABLE, FIELD_NOT_READABLE.';

revoke all on function service.order_keys(text, text, jsonb, text[]) from public;
--! EndIncluded read/order_keys.sql
--! Included read/next_cursor.sql
create or replace function service.next_cursor(collection text, shape jsonb, roles text[], page_size text) returns text
  language sql stable
begin atomic
  select format('service.cursor_seal(%L, %L, json_agg(json_build_array(%s)) filter (where t."~n" = %s) -> 0)', collection,
    coalesce(jsonb_agg(jsonb_build_array(k.field, k.direction, k.nulls) order by k.n) filter (where k.field is not null), '[]'::jsonb),
    string_agg(k.expression || '::text', ', ' order by k.n), page_size)
  from service.order_keys(collection, 't', shape -> 'orderBy', roles) k;
end;

comment on function service.next_cursor(text, jsonb, text[], text) is
  'SQL text of the signed cursor after the last served row; computed for that row only.';

revoke all on function service.next_cursor(text, jsonb, text[], text) from public;
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
    or property.read_roles && roles
    or ('admin' = any (roles) and property.read_roles <> '{}');

comment on function service.readable(service.properties, text[]) is
  'Whether holders of these roles may read the property: no list means everybody, an empty list nobody, and admin may read whatever somebody may.';

revoke all on function service.readable(service.properties, text[]) from public;
--! EndIncluded read/readable.sql
--! Included read/related_condition.sql
create or replace function service.related_condition(relation service.relations, alias text, field text, condition jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  target_alias text := alias || 'x';
  op record;
  property service.properties := service.find_property(relation.target, split_part(field, '->', 1));
begin
  if relation.kind = 'via' then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER', format('Fields of the relation %s cannot be filtered.', relation.name),
      jsonb_build_object('field', relation.name || '.' || field, 'collection', relation.collection, 'relation', relation.name, 'kind', relation.kind));
  end if;
  if property.name is null then
    perform service.fail(400, 'UNKNOWN_FILTER_FIELD', format('%s, which %s.%s leads to, has no field %s.', relation.target, relation.collection, relation.name, field),
      jsonb_build_object('field', relation.name || '.' || field, 'collection', relation.collection, 'relation', relation.name,
        'targetCollection', relation.target, 'validFields', service.valid_fields(relation.target, roles)));
  end if;
  select o.* into op from service.operators() o where o.operator = condition ->> 0;
  return format('%s (select from %s and %s)', case when op.negated is null then 'exists' else 'not exists' end,
    service.relation_from(relation, alias, target_alias),
    service.condition(relation.target, target_alias, field, case when op.negated is null then condition else jsonb_set(condition, '{0}', to_jsonb(op.negated)) end, roles));
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
--! Included read/row_columns.sql
-- An unreadable column is left out, never null. The key is always there. A relation that is included under a column's
-- own name stands in for it.
create or replace function service.row_columns(collection text, alias text, node jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  field text;
  property service.properties;
begin
  for field in select jsonb_array_elements_text(node -> 'fields') loop
    property := service.find_property(collection, field);
    if property.name is null and not coalesce(node -> 'include' ? field, false)
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
      and not coalesce(node -> 'include' ? p.name, false));
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
  return format('select row_to_json(r) as body from (select service.enter($1) as ok offset 0) ctx cross join lateral (%sselect d.* from %s t%s cross join lateral (select %s) d offset 0) r',
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
  rows text := format('select * from (select t.*, row_number() over () as "~n" from (%s) t) t where t."~n" <= $%s::bigint + 1', service.page(collection, shape, scope, roles), shape -> 'limit' ->> 'param');
  page_size text := format('$%s::bigint', shape -> 'limit' ->> 'param');
  page_offset text := coalesce('$' || (shape ->> 'offset') || '::bigint', '0');
begin
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || '%sselect concat(''{"data":'', coalesce(json_agg(d%s) filter (where t."~n" <= %s)::text, ''[]''), ''%s'
      || '"limit":'', %4$s, '',"offset":'', %6$s, '',"hasMore":'', case when count(*) > %4$s then concat(''true,"nextCursor":"'', %7$s, ''"'') else ''false'' end, ''}}'') as body '
      || 'from %8$s t%9$s cross join lateral (select %10$s) d) r',
    case when shape ? 'after' then format(', service.cursor_open(%L, $%s) as cursor', collection, shape -> 'after' ->> 'param') else '' end,
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    case when rest.ctes = '' then '' else ' order by t."~n"' end,
    page_size,
    ',"meta":{' || case when shape ->> 'count' = 'none' then '' else '"total":'', ' || service.total(collection, shape, scope, roles, page_size, page_offset) || ', '',' end,
    page_offset,
    service.next_cursor(collection, shape, roles, page_size),
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

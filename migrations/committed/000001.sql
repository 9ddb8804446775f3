--! Previous: -
--! Hash: sha1:77ce54775a00387020262309dffcc688bd221939
--! Replaces: 23 sha1:9338cc3ccc7ad6ccf3f2a15ce71376116f2e6b9c

-- The end-user role. Roles are shared by all databases of a server, so another database may have made it already.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'service_user') then
    create role service_user nologin noinherit;
  end if;
exception when duplicate_object or unique_violation then
  null;
end $$;

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
comment on column service.collections.callbacks is
  'Hook name to SQL function: beforeSave, afterSave, beforeDelete, afterDelete, afterRead.';
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
comment on column service.properties.sql_type is
  'The type that a value is cast to: the column''s, without length; the base type of a domain.';
comment on column service.properties.read_roles is 'Roles that may read it; null: everybody, empty: nobody.';
comment on column service.properties.attributes is
  'Of a value at any depth: description, label, enum (its ids), validation, requiredMessage, email, url, format, maxLength, '
  'of (the elements of an array), properties (the parts of a map), keyValue; of a property also isId, autoValue, defaultValue, '
  'dimensions. column {type, default, identity, unique, stamp, enumType, index} says how a property of a file is provisioned: '
  'a column that was there before has none.';

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
comment on table service.relations is
  'The ways from one collection to another: direct (local_columns = target_columns), or through a junction table '
  '(local_columns = junction_source, junction_target = target_columns).';
comment on column service.relations.pivot is
  'The junction''s own properties: [{name, columnName, position, type, sqlType, notNull, required, attributes}]; null for a pure '
  'junction.';

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
comment on type service.introspected_table is
  'A table or view as introspection finds it; reason says why it is not served (null: it is), remedy the SQL that would change '
  'that.';

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
comment on type service.provision_step is
  'A difference between what collections ask for and what the database has. statement brings it about (null: it is only told), '
  'concurrent when it has to run by itself, outside a transaction; verdict: safe, withheld, report; detail says what is the '
  'matter, remedy the SQL that would help.';

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

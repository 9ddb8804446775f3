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
  enter_first boolean not null default false,
  estimated_rows bigint not null default 0
);
comment on table service.collections is 'Collections: one table or view each, reachable at /data/<slug>.';
comment on column service.collections.key is 'Property names of the primary key, in order.';
comment on column service.collections.exposed is 'False: known as a relation''s target, without routes of its own.';
comment on column service.collections.enter_first is 'Read in a transaction that enters first: partitioned, with a policy that calls an identity function outside (select …).';

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
comment on column service.properties.attributes is 'description, enum, maxLength, format, dimensions, isId.';

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
  primary key (collection, name)
);
comment on table service.relations is 'The ways from one collection to another: direct (local_columns = target_columns), or through a junction table (local_columns = junction_source, junction_target = target_columns).';

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

--!include catalog/base_type.sql
--!include catalog/camel_case.sql
--!include catalog/catalog_document.sql
--!include catalog/catalog_fingerprint.sql
--!include catalog/column_names.sql
--!include catalog/grant_served.sql
--!include catalog/humanize.sql
--!include catalog/introspect.sql
--!include catalog/is_junction.sql
--!include catalog/view_key.sql
--!include catalog/introspected_tables.sql
--!include catalog/property_type.sql
--!include catalog/sql_type.sql
--!include catalog/introspected_properties.sql
--!include catalog/introspected_relations.sql
--!include catalog/missing_grants.sql
--!include catalog/on_ddl.sql
--!include catalog/reload.sql
--!include catalog/singular.sql
--!include catalog/unreachable_policies.sql
--!include catalog/watch_ddl.sql
--!include error/fail.sql
--!include identity/enter.sql
--!include identity/is_anonymous.sql
--!include identity/jwt.sql
--!include identity/login_role.sql
--!include identity/roles.sql
--!include identity/uid.sql
--!include read/base64url.sql
--!include read/column_list.sql
--!include read/column_pairs.sql
--!include read/scalar_value.sql
--!include read/column_value.sql
--!include read/comparison.sql
--!include read/compile.sql
--!include read/condition.sql
--!include read/run.sql
--!include read/service_claims.sql
--!include read/with_route.sql
--!include read/count.sql
--!include read/cursor_branches.sql
--!include read/cursor_mac.sql
--!include read/cursor_open.sql
--!include read/cursor_payload.sql
--!include read/cursor_seal.sql
--!include read/explain.sql
--!include read/find_property.sql
--!include read/find_relation.sql
--!include read/from_base64url.sql
--!include read/get.sql
--!include read/hoist.sql
--!include read/hoist_condition.sql
--!include read/hoist_logical.sql
--!include read/hoist_node.sql
--!include read/hoist_path.sql
--!include read/include.sql
--!include read/include_relation.sql
--!include read/json_comparison.sql
--!include read/json_path.sql
--!include read/value.sql
--!include read/key_predicate.sql
--!include read/list.sql
--!include read/logical.sql
--!include read/membership.sql
--!include read/order_keys.sql
--!include read/next_cursor.sql
--!include read/not_compiled.sql
--!include read/operators.sql
--!include read/order_by.sql
--!include read/page.sql
--!include read/path_collection.sql
--!include read/predicate.sql
--!include read/reached_by.sql
--!include read/readable.sql
--!include read/related_condition.sql
--!include read/relation_from.sql
--!include read/require_readable.sql
--!include read/row_columns.sql
--!include read/scope.sql
--!include read/statement_count.sql
--!include read/statement_get.sql
--!include read/statement_list.sql
--!include read/total.sql
--!include read/valid_fields.sql
--!include read/valid_relations.sql

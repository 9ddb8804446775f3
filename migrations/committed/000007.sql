--! Previous: sha1:e087f97712c27a72f07e2af93f896f58a13b13a0
--! Hash: sha1:2f915d9144f59cc8e3bd7d95a44b9e6d8effc446

create type service.wanted_table as (
  schema_name text,
  table_name text,
  collection text,
  key text[],
  read_only boolean,
  soft_delete text,
  oid oid
);
comment on type service.wanted_table is
  'A table that collection files ask for: that of a collection, or a junction of many-to-many relations (collection is null). key: the '
  'columns of its key; soft_delete: its column of deletion; oid is null while there is none.';

create type service.wanted_column as (
  schema_name text,
  table_name text,
  relation oid,
  attnum smallint,
  name text,
  "position" integer,
  type text,
  default_value text,
  identity boolean,
  is_unique boolean,
  not_null boolean,
  stamp text,
  in_key boolean,
  enum_type jsonb,
  vector_index jsonb
);
comment on type service.wanted_column is
  'A column that collection files ask for. attnum is null while the table (relation) has none of that name; type is null for a vector '
  'where the server has no pgvector.';

-- What is wanted is asked once a plan, and handed to its parts.
drop function if exists service.collection_policies() cascade;
drop function if exists service.junction_policies() cascade;
drop function if exists service.tenant_policies() cascade;
drop function if exists service.wanted_policies() cascade;
drop function if exists service.callbacks() cascade;
drop function if exists service.wanted_columns() cascade;
drop function if exists service.wanted_foreign_keys() cascade;
drop function if exists service.wanted_history() cascade;
drop function if exists service.wanted_indexes() cascade;
drop function if exists service.wanted_search_columns() cascade;
drop function if exists service.wanted_stamps() cascade;
drop function if exists service.wanted_tables() cascade;
drop function if exists service.wanted_tenants() cascade;
drop function if exists service.plan_callbacks() cascade;
drop function if exists service.plan_columns() cascade;
drop function if exists service.plan_enums() cascade;
drop function if exists service.plan_foreign_keys() cascade;
drop function if exists service.plan_grants() cascade;
drop function if exists service.plan_indexes() cascade;
drop function if exists service.plan_policies() cascade;
drop function if exists service.plan_row_security() cascade;
drop function if exists service.plan_schemas() cascade;
drop function if exists service.plan_search() cascade;
drop function if exists service.plan_tables() cascade;

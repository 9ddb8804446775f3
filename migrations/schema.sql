-- The schema "service" as the migrations leave it. Written by npm run schema from a migrated database: read it, do not edit it.

create role service_user nologin noinherit;

create schema service;
grant usage on schema service to service_user;

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
grant usage on type service.introspected_table to public;

create table service.catalog (
  only_row boolean default true not null,
  version bigint default 1 not null,
  schema_version text default 'v1:0000000000000000'::text not null,
  constraint catalog_pkey PRIMARY KEY (only_row),
  constraint catalog_only_row_check CHECK (only_row)
);
comment on table service.catalog is 'One row: the version of the catalog, and the hash that stands for its collections.';

create table service.collections (
  slug text not null,
  source text not null,
  name text not null,
  singular_name text not null,
  description text,
  schema_name text not null,
  table_name text not null,
  key text[] not null,
  exposed boolean default true not null,
  read_only boolean default false not null,
  strict_writes boolean default true not null,
  callbacks jsonb default '{}'::jsonb not null,
  definition jsonb,
  constraint collections_pkey PRIMARY KEY (slug),
  constraint collections_key_check CHECK ((cardinality(key) > 0)),
  constraint collections_source_check CHECK ((source = ANY (ARRAY['introspected'::text, 'file'::text])))
);
comment on table service.collections is 'Collections: one table or view each, reachable at /data/<slug>.';
comment on column service.collections.key is 'Property names of the primary key, in order.';
comment on column service.collections.exposed is 'False: known as a relation''s target, without routes of its own.';
comment on column service.collections.strict_writes is 'False: a body may name a real column that is not declared.';
comment on column service.collections.callbacks is 'Hook name to SQL function: beforeSave, afterSave, beforeDelete, afterDelete, afterRead.';
comment on column service.collections.definition is 'The collection file this comes from; null for a table that was there before.';

create table service.cursor_key (
  only_row boolean default true not null,
  inner_key bytea not null,
  outer_key bytea not null,
  constraint cursor_key_pkey PRIMARY KEY (only_row),
  constraint cursor_key_only_row_check CHECK (only_row)
);
comment on table service.cursor_key is 'The key that signs cursors, padded for HMAC. Never leaves the database.';

create table service.login_key (
  only_row boolean default true not null,
  key text default encode(sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))), 'hex'::text) not null,
  constraint login_key_pkey PRIMARY KEY (only_row),
  constraint login_key_only_row_check CHECK (only_row)
);
comment on table service.login_key is 'From this every gateway derives the passwords of the login roles of its lanes.';

create table service.migrations (
  number integer not null,
  name text not null,
  hash text not null,
  previous_hash text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migrations_pkey PRIMARY KEY (number)
);
comment on table service.migrations is 'The service''s migrations that this database has, with the hashes of their files.';

create table service.properties (
  collection text not null,
  name text not null,
  column_name text not null,
  "position" integer not null,
  type text not null,
  sql_type text not null,
  not_null boolean not null,
  required boolean not null,
  generated boolean default false not null,
  excluded boolean default false not null,
  read_roles text[],
  write_roles text[],
  attributes jsonb default '{}'::jsonb not null,
  constraint properties_pkey PRIMARY KEY (collection, name),
  constraint properties_collection_fkey FOREIGN KEY (collection) REFERENCES service.collections(slug) ON DELETE CASCADE,
  constraint properties_type_check CHECK ((type = ANY (ARRAY['string'::text, 'number'::text, 'boolean'::text, 'date'::text, 'array'::text, 'map'::text, 'geopoint'::text, 'vector'::text, 'binary'::text])))
);
comment on table service.properties is 'The columns of a collection under their wire names.';
comment on column service.properties.sql_type is 'The type that a value is cast to: the column''s, without length; the base type of a domain.';
comment on column service.properties.read_roles is 'Roles that may read it; null: everybody, empty: nobody.';
comment on column service.properties.attributes is 'description, enum (ids), maxLength, format, dimensions, isId, validation, autoValue, defaultValue, email, url; column: {type, default, identity, unique, enumType, touch, index} says how a property of a file is provisioned.';

create table service.relations (
  collection text not null,
  name text not null,
  kind text not null,
  target text not null,
  local_columns text[] not null,
  target_columns text[] not null,
  junction_schema text,
  junction_table text,
  junction_source text[],
  junction_target text[],
  pivot jsonb,
  on_delete text,
  constraint relations_pkey PRIMARY KEY (collection, name),
  constraint relations_collection_fkey FOREIGN KEY (collection) REFERENCES service.collections(slug) ON DELETE CASCADE,
  constraint relations_kind_check CHECK ((kind = ANY (ARRAY['belongsTo'::text, 'hasOne'::text, 'hasMany'::text, 'manyToMany'::text, 'via'::text]))),
  constraint relations_target_fkey FOREIGN KEY (target) REFERENCES service.collections(slug) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX relations_target_idx ON service.relations USING btree (target);
comment on table service.relations is 'The ways from one collection to another: direct (local_columns = target_columns), or through a junction table (local_columns = junction_source, junction_target = target_columns).';
comment on column service.relations.pivot is 'The junction''s own properties: [{name, columnName, type, sqlType, required, attributes}]; null for a pure junction.';

CREATE OR REPLACE FUNCTION service.base64url(bytes bytea)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN translate(encode(bytes, 'base64'::text), ('+/='::text || chr(10)), '-_'::text);
comment on function service.base64url(bytes bytea) is 'RFC 4648 base64url without padding.';

CREATE OR REPLACE FUNCTION service.base_type(type oid)
 RETURNS oid
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH RECURSIVE base(oid, typbasetype) AS (
          SELECT t.oid,
             t.typbasetype
            FROM pg_type t
           WHERE (t.oid = base_type.type)
         UNION ALL
          SELECT t.oid,
             t.typbasetype
            FROM (base b_1
              JOIN pg_type t ON ((t.oid = b_1.typbasetype)))
         )
  SELECT b.oid
    FROM base b
   WHERE (b.typbasetype = (0)::oid);
END;
comment on function service.base_type(type oid) is 'The type under a domain, or the type itself.';

CREATE OR REPLACE FUNCTION service.body_columns(served service.collections, body jsonb)
 RETURNS TABLE(field text, value jsonb, column_name text, type text, sql_type text, attributes jsonb, is_key boolean)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT b.key,
         CASE
             WHEN ((r.name IS NULL) OR (jsonb_typeof(b.value) <> 'object'::text)) THEN b.value
             ELSE COALESCE((b.value -> t.name), (b.value -> 'id'::text), 'null'::jsonb)
         END AS "coalesce",
     p.column_name,
     p.type,
     p.sql_type,
     p.attributes,
     (p.name = ANY ((body_columns.served).key))
    FROM (((jsonb_each(body_columns.body) b(key, value)
      LEFT JOIN service.relations r ON (((r.collection = (body_columns.served).slug) AND (r.name = b.key) AND (r.kind = 'belongsTo'::text) AND (cardinality(r.local_columns) = 1) AND (NOT (EXISTS ( SELECT
            FROM service.properties own
           WHERE ((own.collection = (body_columns.served).slug) AND (own.name = b.key) AND (jsonb_typeof(b.value) <> 'object'::text))))))))
      LEFT JOIN service.properties t ON (((t.collection = r.target) AND (t.column_name = r.target_columns[1]))))
      JOIN service.properties p ON (((p.collection = (body_columns.served).slug) AND
         CASE
             WHEN (r.name IS NULL) THEN ((b.key = p.name) OR (b.key = p.column_name))
             ELSE (p.column_name = r.local_columns[1])
         END)))
   WHERE ((NOT p.excluded) AND (NOT (p.attributes ? 'autoValue'::text)));
END;
comment on function service.body_columns(served collections, body jsonb) is 'The fields of a body with the columns they write.';

CREATE OR REPLACE FUNCTION service.broken_rules(field text, value jsonb, type text, text text, rules jsonb)
 RETURNS TABLE(code text, message text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT r.code,
     format(r.message, broken_rules.field, (broken_rules.rules ->> r.rule)) AS format
    FROM ( VALUES ('string'::text,'length'::text,'length'::text,'%s must have %s characters.'::text,((char_length(broken_rules.text))::numeric = ((broken_rules.rules ->> 'length'::text))::numeric)), ('string'::text,'min'::text,'min_length'::text,'%s must have at least %s characters.'::text,((char_length(broken_rules.text))::numeric >= ((broken_rules.rules ->> 'min'::text))::numeric)), ('string'::text,'max'::text,'max_length'::text,'%s must have at most %s characters.'::text,((char_length(broken_rules.text))::numeric <= ((broken_rules.rules ->> 'max'::text))::numeric)), ('string'::text,'matches'::text,'pattern'::text,'%s does not match its pattern.'::text,(broken_rules.text ~ service.pattern((broken_rules.rules ->> 'matches'::text)))), ('string'::text,'email'::text,'email'::text,'%s must be an email address.'::text,(((broken_rules.rules -> 'email'::text) <> 'true'::jsonb) OR (broken_rules.text = ''::text) OR (broken_rules.text ~ '^[^\s@]+@[^\s@]+\.[^\s@]+$'::text))), ('string'::text,'url'::text,'url'::text,'%s must be an absolute URL.'::text,(((broken_rules.rules -> 'url'::text) <> ALL (ARRAY['true'::jsonb, '"url"'::jsonb])) OR (broken_rules.text = ''::text) OR (broken_rules.text ~* '^[a-z][a-z0-9+.-]*://[^\s/]+'::text))), ('number'::text,'integer'::text,'integer'::text,'%s must be a whole number.'::text,(((broken_rules.rules -> 'integer'::text) <> 'true'::jsonb) OR
                 CASE
                     WHEN (broken_rules.type = 'number'::text) THEN ((broken_rules.text)::numeric = trunc((broken_rules.text)::numeric))
                     ELSE NULL::boolean
                 END)), ('number'::text,'positive'::text,'positive'::text,'%s must be above 0.'::text,(((broken_rules.rules -> 'positive'::text) <> 'true'::jsonb) OR
                 CASE
                     WHEN (broken_rules.type = 'number'::text) THEN ((broken_rules.text)::numeric > (0)::numeric)
                     ELSE NULL::boolean
                 END)), ('number'::text,'negative'::text,'negative'::text,'%s must be below 0.'::text,(((broken_rules.rules -> 'negative'::text) <> 'true'::jsonb) OR
                 CASE
                     WHEN (broken_rules.type = 'number'::text) THEN ((broken_rules.text)::numeric < (0)::numeric)
                     ELSE NULL::boolean
                 END)), ('number'::text,'min'::text,'min'::text,'%s must be at least %s.'::text,
                 CASE
                     WHEN (broken_rules.type = 'number'::text) THEN ((broken_rules.text)::numeric >= ((broken_rules.rules ->> 'min'::text))::numeric)
                     ELSE NULL::boolean
                 END), ('number'::text,'max'::text,'max'::text,'%s must be at most %s.'::text,
                 CASE
                     WHEN (broken_rules.type = 'number'::text) THEN ((broken_rules.text)::numeric <= ((broken_rules.rules ->> 'max'::text))::numeric)
                     ELSE NULL::boolean
                 END), ('number'::text,'moreThan'::text,'more_than'::text,'%s must be above %s.'::text,
                 CASE
                     WHEN (broken_rules.type = 'number'::text) THEN ((broken_rules.text)::numeric > ((broken_rules.rules ->> 'moreThan'::text))::numeric)
                     ELSE NULL::boolean
                 END), ('number'::text,'lessThan'::text,'less_than'::text,'%s must be below %s.'::text,
                 CASE
                     WHEN (broken_rules.type = 'number'::text) THEN ((broken_rules.text)::numeric < ((broken_rules.rules ->> 'lessThan'::text))::numeric)
                     ELSE NULL::boolean
                 END), ('date'::text,'min'::text,'date_min'::text,'%s must not be before %s.'::text,
                 CASE
                     WHEN (broken_rules.type = 'date'::text) THEN ((broken_rules.text)::timestamp with time zone >= ((broken_rules.rules ->> 'min'::text))::timestamp with time zone)
                     ELSE NULL::boolean
                 END), ('date'::text,'max'::text,'date_max'::text,'%s must not be after %s.'::text,
                 CASE
                     WHEN (broken_rules.type = 'date'::text) THEN ((broken_rules.text)::timestamp with time zone <= ((broken_rules.rules ->> 'max'::text))::timestamp with time zone)
                     ELSE NULL::boolean
                 END), ('array'::text,'min'::text,'min_items'::text,'%s must have at least %s items.'::text,
                 CASE
                     WHEN (jsonb_typeof(broken_rules.value) = 'array'::text) THEN ((jsonb_array_length(broken_rules.value))::numeric >= ((broken_rules.rules ->> 'min'::text))::numeric)
                     ELSE NULL::boolean
                 END), ('array'::text,'max'::text,'max_items'::text,'%s must have at most %s items.'::text,
                 CASE
                     WHEN (jsonb_typeof(broken_rules.value) = 'array'::text) THEN ((jsonb_array_length(broken_rules.value))::numeric <= ((broken_rules.rules ->> 'max'::text))::numeric)
                     ELSE NULL::boolean
                 END), ('array'::text,'uniqueInArray'::text,'unique_items'::text,'%s must not repeat an item.'::text,(((broken_rules.rules -> 'uniqueInArray'::text) <> 'true'::jsonb) OR
                 CASE
                     WHEN (jsonb_typeof(broken_rules.value) = 'array'::text) THEN ( SELECT (count(*) = count(DISTINCT e.value))
                        FROM jsonb_array_elements(broken_rules.value) e(value))
                     ELSE NULL::boolean
                 END))) r(type, rule, code, message, holds)
   WHERE ((r.type = broken_rules.type) AND (broken_rules.rules ? r.rule) AND (NOT COALESCE(r.holds, true)));
END;
comment on function service.broken_rules(field text, value jsonb, type text, text text, rules jsonb) is 'The declared rules of a property that one value breaks, with the code and the message of each: length, min_length, max_length, pattern, email, url, integer, positive, negative, min, max, more_than, less_than, date_min, date_max, min_items, max_items, unique_items.';

CREATE OR REPLACE FUNCTION service.camel_case(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (camel_case.name ~~ '\_%'::text) THEN camel_case.name
             ELSE string_agg(
             CASE s.n
                 WHEN 1 THEN s.part
                 ELSE (upper("left"(s.part, 1)) || substr(s.part, 2))
             END, ''::text ORDER BY s.n)
         END AS string_agg
    FROM regexp_split_to_table(camel_case.name, '_'::text) WITH ORDINALITY s(part, n);
END;
comment on function service.camel_case(name text) is 'The wire name of a column: user_id is userId, photoURL stays.';

CREATE OR REPLACE FUNCTION service.catalog_document()
 RETURNS json
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT json_build_object('version', ( SELECT c.version
            FROM service.catalog c), 'schemaVersion', ( SELECT c.schema_version
            FROM service.catalog c), 'restrictingRoles', COALESCE(( SELECT json_agg(DISTINCT r.r) AS json_agg
            FROM service.properties p,
             LATERAL unnest(p.read_roles) r(r)), '[]'::json), 'collections', COALESCE(( SELECT json_agg(json_build_object('slug', c.slug, 'name', c.name, 'singularName', c.singular_name, 'description', c.description, 'key', c.key, 'readOnly', c.read_only, 'schema', c.schema_name, 'table', c.table_name, 'properties', ( SELECT COALESCE(json_agg(json_build_object('name', p.name, 'type', p.type, 'sqlType', p.sql_type, 'nullable', (NOT p.not_null), 'required', p.required, 'generated', p.generated, 'readRoles', p.read_roles, 'writeRoles', p.write_roles, 'attributes', p.attributes) ORDER BY p."position"), '[]'::json) AS "coalesce"
                    FROM service.properties p
                   WHERE ((p.collection = c.slug) AND (NOT p.excluded))), 'relations', ( SELECT COALESCE(json_agg(json_build_object('name', r.name, 'kind', r.kind, 'target', r.target) ORDER BY r.name), '[]'::json) AS "coalesce"
                    FROM service.relations r
                   WHERE (r.collection = c.slug))) ORDER BY c.slug) AS json_agg
            FROM service.collections c
           WHERE c.exposed), '[]'::json)) AS json_build_object;
END;
comment on function service.catalog_document() is 'The served collections as one JSON document: {version, schemaVersion, restrictingRoles, collections: [{slug, name, singularName, description, key, readOnly, schema, table, properties, relations}]}.';

CREATE OR REPLACE FUNCTION service.checked_body(served service.collections, op text, body jsonb, id text, roles text[], uid text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.checked_body(served collections, op text, body jsonb, id text, roles text[], uid text) is 'What a body writes, by column, after every check of what was sent. GW400 as service.write.';

CREATE OR REPLACE FUNCTION service.claimed_roles(claims jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (COALESCE((claims ->> 'uid'::text), ''::text) = ANY (ARRAY[''::text, 'anonymous'::text])) THEN ARRAY['anon'::text] ELSE string_to_array(COALESCE((claims ->> 'roles'::text), ''::text), ','::text) END;
comment on function service.claimed_roles(claims jsonb) is 'The roles that service.enter gives to a caller with these claims.';

CREATE OR REPLACE FUNCTION service.column_list(alias text, columns text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT string_agg(format('%s.%I'::text, column_list.alias, u.c), ', '::text ORDER BY u.n) AS string_agg
    FROM unnest(column_list.columns) WITH ORDINALITY u(c, n);
END;
comment on function service.column_list(alias text, columns text[]) is 'SQL text of columns of one alias, separated by commas.';

CREATE OR REPLACE FUNCTION service.column_names(relation oid, columns smallint[])
 RETURNS text[]
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT array_agg((a.attname)::text ORDER BY c.n) AS array_agg
    FROM (unnest(column_names.columns) WITH ORDINALITY c(attnum, n)
      JOIN pg_attribute a ON (((a.attrelid = column_names.relation) AND (a.attnum = c.attnum))));
END;
comment on function service.column_names(relation oid, columns smallint[]) is 'Column names of a table by attribute number, in that order.';

CREATE OR REPLACE FUNCTION service.column_pairs(left_alias text, left_columns text[], right_alias text, right_columns text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT string_agg(format('%s.%I = %s.%I'::text, column_pairs.left_alias, c.l, column_pairs.right_alias, c.r), ' and '::text) AS string_agg
    FROM UNNEST(column_pairs.left_columns, column_pairs.right_columns) c(l, r);
END;
comment on function service.column_pairs(left_alias text, left_columns text[], right_alias text, right_columns text[]) is 'SQL text that equates two lists of columns: x.a = t.b and x.c = t.d.';

CREATE OR REPLACE FUNCTION service.column_value(expression text, sql_type text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (column_value.sql_type !~~ '%[]'::text) THEN service.scalar_value(column_value.expression, column_value.sql_type)
             WHEN (i.item = ANY (ARRAY['e'::text, 'e::text'::text])) THEN column_value.expression
             ELSE format('case when array_ndims(%1$s) > 1 then to_json(%1$s) when %1$s is not null then to_json(array(select %2$s from unnest(%1$s) with ordinality u (e, n) order by n)) end'::text, column_value.expression, i.item)
         END AS format
    FROM ( SELECT service.scalar_value('e'::text, COALESCE(( SELECT service.sql_type(t.typelem) AS sql_type
                    FROM pg_type t
                   WHERE ((t.oid = (to_regtype(column_value.sql_type))::oid) AND (t.typcategory = 'A'::"char"))), rtrim(column_value.sql_type, '[]'::text))) AS scalar_value) i(item);
END;
comment on function service.column_value(expression text, sql_type text) is 'SQL text of a column as it stands in JSON: service.scalar_value, for arrays item by item.';

CREATE OR REPLACE FUNCTION service.comparison(expression text, property service.properties, condition jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.comparison(expression text, property properties, condition jsonb) is 'SQL text of one condition [operator, parameter] on a column expression. GW400 as service.operand, INVALID_FILTER_FIELD (a type that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';

CREATE OR REPLACE FUNCTION service.compile(shape jsonb, roles text[], OUT statement text, OUT lane text, OUT enter_first boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
  lane := case when shape ->> 'op' = 'get' then 'point' else 'scan' end;
  enter_first := service.needs_entering(statement);
end $function$;
comment on function service.compile(shape jsonb, roles text[], OUT statement text, OUT lane text, OUT enter_first boolean) is 'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include …}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before (partitioned tables whose policies call identity functions bare). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 for what is parsed but not compiled.';

CREATE OR REPLACE FUNCTION service.condition(collection text, alias text, field text, condition jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.condition(collection text, alias text, field text, condition jsonb, roles text[]) is 'SQL text of one condition on one field of a collection. GW400 UNKNOWN_FILTER_FIELD {field, collection, validFields}, FIELD_NOT_READABLE, and what comparison, membership and related_condition refuse.';

CREATE OR REPLACE FUNCTION service.count(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service.service_claims())
 RETURNS json
 LANGUAGE sql
RETURN (SELECT (r.r)::json AS r FROM service.run(service.with_route('count'::text, ARRAY[count.collection], count.request), count.claims) r(r));
comment on function service.count(collection text, request json, claims jsonb) is 'The answer of GET /data/<collection>/count, as JSON. request: {where, logical, orderBy, limit, offset, after, fields, include, count}, see service.hoist. claims: the caller, by default the service key.';

CREATE OR REPLACE FUNCTION service.cursor_branches(collection text, alias text, shape jsonb, roles text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.cursor_branches(collection text, alias text, shape jsonb, roles text[]) is 'The predicates (each beginning with and) that together hold the rows strictly after shape.after, in the order in which they follow each other.';

CREATE OR REPLACE FUNCTION service.cursor_mac(payload text)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT service.base64url(substr(sha256((s.outer_key || sha256((s.inner_key || convert_to(cursor_mac.payload, 'UTF8'::name))))), 1, 16)) AS base64url
    FROM service.cursor_key s;
END;
comment on function service.cursor_mac(payload text) is 'The first 128 bits of HMAC-SHA256 over a payload under this database''s cursor key, base64url.';

CREATE OR REPLACE FUNCTION service.cursor_open(collection text, token text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
end $function$;
comment on function service.cursor_open(collection text, token text) is 'The values of a cursor that this database signed for this collection: those of its sort keys, then the key''s. GW400 INVALID_CURSOR.';
grant execute on function service.cursor_open(collection text, token text) to service_user;

CREATE OR REPLACE FUNCTION service.cursor_payload(token text)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;
comment on function service.cursor_payload(token text) is 'What a cursor says, not verified: {"k": keys, "v": values}. GW400 INVALID_CURSOR when it is not of that form.';

CREATE OR REPLACE FUNCTION service.cursor_seal(collection text, keys text, "values" json)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  payload text := concat('{"k":', keys, ',"v":', "values", '}');
begin
  return service.base64url(convert_to(payload, 'UTF8')) || '.' || service.cursor_mac(collection || ' ' || payload);
end $function$;
comment on function service.cursor_seal(collection text, keys text, "values" json) is 'A cursor: base64url of {"k":[[field, direction, nulls]…],"v":[stored value as text or null…, key…]}, a dot, its signature. Bound to the collection.';
grant execute on function service.cursor_seal(collection text, keys text, "values" json) to service_user;

CREATE OR REPLACE FUNCTION service.define(catalog jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.define(catalog jsonb) is 'Makes {collections, properties, relations}, the rows of the tables of those names with every column, the catalog. True when that changed it; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with an advisory lock.';

CREATE OR REPLACE FUNCTION service.enter(claims text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.enter(claims text) is 'Sets the caller for the current transaction from claims {"uid":text,"roles":"a,b","isAnonymous":boolean,"jwt":object}; a blank uid is ''anonymous'' with role anon. True, or an error: 42501 when the session does not run as service_user. Called by the gateway as the first step of every statement.';
grant execute on function service.enter(claims text) to service_user;

CREATE OR REPLACE FUNCTION service.explain(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service.service_claims())
 RETURNS SETOF text
 LANGUAGE plpgsql
AS $function$
declare
  routed json := service.with_route('list', array[collection], request);
begin
  return next (service.compile((service.hoist(routed)).shape, service.claimed_roles(claims))).statement;
  return query select * from service.run(routed, claims, 'explain (analyze, buffers)');
end $function$;
comment on function service.explain(collection text, request json, claims jsonb) is 'The statement of a list, then its plan, run for real as the caller with these claims (by default the service key).';

CREATE OR REPLACE FUNCTION service.fail(status integer, code text, message text, details jsonb DEFAULT NULL::jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  raise exception using
    errcode = 'GW' || status,
    message = message,
    detail = coalesce(details::text, ''),
    hint = code;
end $function$;
comment on function service.fail(status integer, code text, message text, details jsonb) is 'Refuses a request: SQLSTATE GW<status>, the human message, details (JSON object) as DETAIL and the error code as HINT. Never returns; declared text so that it can stand in an expression.';

CREATE OR REPLACE FUNCTION service.find_column(collection text, column_name text)
 RETURNS service.properties
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT p.*::service.properties AS p
    FROM service.properties p
   WHERE ((p.collection = find_column.collection) AND (p.column_name = find_column.column_name))
  LIMIT 1;
END;
comment on function service.find_column(collection text, column_name text) is 'The property that a column of the table is, null when it is none.';

CREATE OR REPLACE FUNCTION service.find_property(collection text, field text)
 RETURNS service.properties
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT p.*::service.properties AS p
    FROM service.properties p
   WHERE ((p.collection = find_property.collection) AND ((find_property.field = p.name) OR (find_property.field = p.column_name)) AND (NOT p.excluded))
   ORDER BY (p.name = find_property.field) DESC
  LIMIT 1;
END;
comment on function service.find_property(collection text, field text) is 'The property a client means by a field name (wire name, or raw column name), null when there is none it may know of.';

CREATE OR REPLACE FUNCTION service.find_relation(collection text, relation text)
 RETURNS service.relations
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT r.*::service.relations AS r
    FROM service.relations r
   WHERE ((r.collection = find_relation.collection) AND (r.name = find_relation.relation));
END;
comment on function service.find_relation(collection text, relation text) is 'The relation of a collection by its name, null when there is none.';

CREATE OR REPLACE FUNCTION service.fingerprint(lines text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT ('v1:'::text || "left"(encode(sha256(convert_to(COALESCE(string_agg(line.line, chr(10) ORDER BY (line.line COLLATE "C")), ''::text), 'UTF8'::name)), 'hex'::text), 16))
    FROM unnest(fingerprint.lines) line(line);
END;
comment on function service.fingerprint(lines text[]) is 'v1: and the first 16 hex digits of SHA-256 over the lines, in whatever order they come.';

CREATE OR REPLACE FUNCTION service.fits_type(value jsonb, type text, sql_type text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN CASE type WHEN 'string'::text THEN ((jsonb_typeof(value) = 'string'::text) OR ((jsonb_typeof(value) = 'number'::text) AND (sql_type IS DISTINCT FROM 'uuid'::text))) WHEN 'number'::text THEN ((jsonb_typeof(value) = 'number'::text) OR ((jsonb_typeof(value) = 'string'::text) AND ((value #>> '{}'::text[]) ~ '^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$'::text))) WHEN 'boolean'::text THEN ((jsonb_typeof(value) = 'boolean'::text) OR (value = ANY (ARRAY['"true"'::jsonb, '"false"'::jsonb]))) WHEN 'date'::text THEN ((jsonb_typeof(value) = 'string'::text) AND ((value #>> '{}'::text[]) ~ '^\s*[-+]?\d'::text)) WHEN 'array'::text THEN (jsonb_typeof(value) = 'array'::text) WHEN 'map'::text THEN ((sql_type IS NOT NULL) OR (jsonb_typeof(value) = 'object'::text)) WHEN 'geopoint'::text THEN ((jsonb_typeof(value) = 'object'::text) AND (jsonb_typeof((value -> 'latitude'::text)) = 'number'::text) AND (jsonb_typeof((value -> 'longitude'::text)) = 'number'::text)) WHEN 'vector'::text THEN ((jsonb_typeof(value) = 'array'::text) AND (NOT (EXISTS (SELECT FROM jsonb_array_elements(fits_type.value) e(value) WHERE (jsonb_typeof(e.value) <> 'number'::text))))) WHEN 'binary'::text THEN ((jsonb_typeof(value) = 'string'::text) AND ((value #>> '{}'::text[]) ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'::text)) ELSE true END;
comment on function service.fits_type(value jsonb, type text, sql_type text) is 'Whether a JSON value can be of a property type at all; numbers may be sent as text, booleans as ''true'' and ''false''.';

CREATE OR REPLACE FUNCTION service.from_base64url(text text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN decode(rpad(translate(text, '-_'::text, '+/'::text), (((length(text) + 3) / 4) * 4), '='::text), 'base64'::text);
comment on function service.from_base64url(text text) is 'The bytes of unpadded base64url; 22023 when it is none.';

CREATE OR REPLACE FUNCTION service.get(collection text, id text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service.service_claims())
 RETURNS json
 LANGUAGE sql
RETURN (SELECT (r.r)::json AS r FROM service.run(service.with_route('get'::text, ARRAY[get.collection, get.id], get.request), get.claims) r(r));
comment on function service.get(collection text, id text, request json, claims jsonb) is 'The answer of GET /data/<collection>/<id>, as JSON; null where the API says 404. request: {where, logical, orderBy, limit, offset, after, fields, include, count}, see service.hoist. claims: the caller, by default the service key.';

CREATE OR REPLACE FUNCTION service.grant_served()
 RETURNS SETOF text
 LANGUAGE plpgsql
AS $function$
declare
  statement text;
begin
  for statement in select * from service.missing_grants() loop
    execute statement;
    return next statement;
  end loop;
end $function$;
comment on function service.grant_served() is 'Runs the statements of service.missing_grants() and returns them.';

CREATE OR REPLACE FUNCTION service.has_operator(sql_type text, operator text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM (service.operand_types(has_operator.sql_type) t(type)
              JOIN pg_operator o ON (((o.oprleft = t.type) AND (o.oprright = t.type))))
           WHERE (o.oprname = has_operator.operator))) AS "exists";
END;
comment on function service.has_operator(sql_type text, operator text) is 'Whether two values of a type can be compared by an SQL operator (=, <>, <, …): not so for xml or point.';

CREATE OR REPLACE FUNCTION service.hoist(request json, OUT shape jsonb, OUT parameters text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.hoist(request json, OUT shape jsonb, OUT parameters text[]) is 'Takes the values out of a request {op, path: [slug, id, relation …], where: {field: [operator, value] or a list of those}, logical, orderBy: [{field, direction, nulls}], limit, offset, after, fields, include, count}: the shape that service.compile reads, and the values of $2 onwards. GW400 INVALID_CURSOR, INVALID_PARAM, INVALID_LIMIT, INVALID_OFFSET, CURSOR_WITH_OFFSET, and those of conditions and groups.';

CREATE OR REPLACE FUNCTION service.hoist_condition(field text, condition json, INOUT parameters text[], OUT hoisted jsonb)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;
comment on function service.hoist_condition(field text, condition json, INOUT parameters text[], OUT hoisted jsonb) is 'One condition [operator, value] with its value taken out: [operator, parameter number], [operator, [number]] for a list. GW400 INVALID_WHERE, INVALID_FILTER_VALUE for a list that holds null.';

CREATE OR REPLACE FUNCTION service.hoist_logical(logical json, INOUT parameters text[], OUT node jsonb)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;
comment on function service.hoist_logical(logical json, INOUT parameters text[], OUT node jsonb) is 'A logical group {type, conditions} of groups and leaves {column, operator, value}, its values taken out. GW400 INVALID_LOGICAL_GROUP.';

CREATE OR REPLACE FUNCTION service.hoist_node(request json, nested boolean, INOUT parameters text[], OUT node jsonb)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;
comment on function service.hoist_node(request json, nested boolean, INOUT parameters text[], OUT node jsonb) is 'The part of a request that an include node has too ({where, logical, include, orderBy, fields}; nested: limit as well), its values taken out.';

CREATE OR REPLACE FUNCTION service.hoist_path(segments json, INOUT parameters text[], OUT path jsonb)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;
comment on function service.hoist_path(segments json, INOUT parameters text[], OUT path jsonb) is 'A path with its ids taken out: ["artist", "1", "album"] is ["artist", 2, "album"].';

CREATE OR REPLACE FUNCTION service.humanize(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (upper("left"(name, 1)) || replace(substr(name, 2), '_'::text, ' '::text));
comment on function service.humanize(name text) is 'A label from a name: order_items is Order items.';

CREATE OR REPLACE FUNCTION service.include(collection text, rows_name text, node jsonb, roles text[], OUT ctes text, OUT joins text, OUT columns text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.include(collection text, rows_name text, node jsonb, roles text[], OUT ctes text, OUT joins text, OUT columns text) is 'SQL text for the included relations of a set of rows (a CTE): further CTEs, the joins to them (alias t for the rows) and the columns they add.';

CREATE OR REPLACE FUNCTION service.include_relation(relation service.relations, parent_rows text, rows_name text, node jsonb, roles text[], OUT ctes text, OUT joins text, OUT columns text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  target service.collections;
  nested record;
  -- The columns of this level's rows that lead back to the parent: the target's own, or the junction's under names of ours.
  back text[] := case when relation.junction_table is null then relation.target_columns
    else array(select service.unused_name(relation.target, 'source' || n) from generate_series(1, cardinality(relation.junction_source)) n order by n) end;
  row_number text := quote_ident(service.unused_name(relation.target, 'n'));
  json text := quote_ident(service.unused_name(relation.target, 'json'));
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
      rows_name, service.column_list('t', back), service.order_by(relation.target, 't', node -> 'orderBy', roles), row_number, source,
      coalesce(' where t.' || row_number || ' <= $' || (node ->> 'limit') || '::bigint', '')) end
    || nested.ctes
    -- d.*: a bare d would be a column of that name, where the table has one.
    || format(case when relation.kind = 'belongsTo' then ', %1$I as (select %2$s, row_to_json(d.*) as %3$s from %4$I t%5$s cross join lateral (select %6$s) d)'
        else ', %1$I as (select %2$s, json_agg(d.* order by t.%7$s) as %3$s from %4$I t%5$s cross join lateral (select %6$s) d group by %2$s)' end,
      rows_name || '_json', service.column_list('t', back), json, rows_name, nested.joins,
      service.row_columns(relation.target, 't', node, roles) || nested.columns, row_number);
  joins := format(' left join %I on %s', rows_name || '_json', service.column_pairs(quote_ident(rows_name || '_json'), back, 't', relation.local_columns));
  columns := format(case relation.kind when 'belongsTo' then ', %I.%s as %I' when 'hasOne' then ', %I.%s -> 0 as %I' else ', coalesce(%I.%s, ''[]'') as %I' end, rows_name || '_json', json, relation.name);
end $function$;
comment on function service.include_relation(relation relations, parent_rows text, rows_name text, node jsonb, roles text[], OUT ctes text, OUT joins text, OUT columns text) is 'SQL text for one included relation: the CTE of its rows (limit a parent, in order), those of the relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column. To-one is an object or null, to-many an array.';

CREATE OR REPLACE FUNCTION service.included_relations(collection text, node jsonb, roles text[])
 RETURNS TABLE(name text, options jsonb)
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.included_relations(collection text, node jsonb, roles text[]) is 'The relations that a node {include} asks for, with their options; * is spelled out. GW400 UNKNOWN_RELATION {relation, collection, validRelations}, FIELD_NOT_READABLE.';

CREATE OR REPLACE FUNCTION service.insert_statement(served service.collections, payload jsonb, returns_key boolean)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT format('insert into %1$I.%2$I %3$s%4$s'::text, (served).schema_name, (served).table_name, COALESCE(( SELECT format('(%s) select %s from jsonb_populate_record(null::%I.%I, $1) r'::text, string_agg(quote_ident(k.k), ', '::text ORDER BY k.k), string_agg(('r.'::text || quote_ident(k.k)), ', '::text ORDER BY k.k), (insert_statement.served).schema_name, (insert_statement.served).table_name) AS format
            FROM jsonb_object_keys(insert_statement.payload) k(k)
          HAVING (count(*) > 0)), 'default values'::text),
         CASE
             WHEN returns_key THEN (' returning '::text || ( SELECT string_agg(format('%I::text'::text, p.column_name), ' || '':::'' || '::text ORDER BY k.n) AS string_agg
                FROM (unnest((insert_statement.served).key) WITH ORDINALITY k(name, n)
                  JOIN service.properties p ON (((p.collection = (insert_statement.served).slug) AND (p.name = k.name))))))
             ELSE ''::text
         END) AS format;
END;
comment on function service.insert_statement(served collections, payload jsonb, returns_key boolean) is 'SQL text that inserts the columns of a payload ($1), and returns the new key as text when asked.';

CREATE OR REPLACE FUNCTION service.introspect(schema text, unprotected text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.introspect(schema text, unprotected text) is 'Reads the tables of a schema into the catalog (unprotected: skip or serve those without row security). True when the catalog changed; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with an advisory lock.';

CREATE OR REPLACE FUNCTION service.introspected_collections(tables service.introspected_table[], properties service.properties[])
 RETURNS SETOF service.collections
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH key AS (
          SELECT t_1.slug,
             array_agg(p.name ORDER BY k_1.n) AS names
            FROM ((unnest(introspected_collections.tables) t_1(oid, schema_name, slug, kind, key, junction, description, reason, remedy)
              CROSS JOIN LATERAL unnest(t_1.key) WITH ORDINALITY k_1(attnum, n))
              JOIN unnest(introspected_collections.properties) p(collection, name, column_name, "position", type, sql_type, not_null, required, generated, excluded, read_roles, write_roles, attributes) ON (((p.collection = t_1.slug) AND (p."position" = k_1.attnum))))
           GROUP BY t_1.slug
         )
  SELECT t.slug,
     'introspected'::text,
     service.humanize(t.slug) AS humanize,
     service.humanize(service.singular(t.slug)) AS humanize,
     NULLIF(TRIM(BOTH FROM regexp_replace(t.description, '@key [^\n]+'::text, ''::text)), ''::text) AS "nullif",
     t.schema_name,
     t.slug,
     k.names,
     true,
     (t.kind = 'v'::"char"),
     true,
     '{}'::jsonb AS jsonb,
     NULL::jsonb AS jsonb
    FROM (unnest(introspected_collections.tables) t(oid, schema_name, slug, kind, key, junction, description, reason, remedy)
      JOIN key k ON ((k.slug = t.slug)))
   WHERE (NOT t.junction);
END;
comment on function service.introspected_collections(tables introspected_table[], properties properties[]) is 'The served tables and views as rows of service.collections; views are read-only.';

CREATE OR REPLACE FUNCTION service.introspected_properties(tables service.introspected_table[])
 RETURNS SETOF service.properties
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH found AS MATERIALIZED (
          SELECT t_1.slug,
             t_1.key,
             (a.attname)::text AS column_name,
             a.attrelid,
             a.attnum,
             a.atttypid,
             a.atttypmod,
             a.attnotnull,
             a.atthasdef,
             a.attidentity,
             a.attgenerated
            FROM (unnest(introspected_properties.tables) t_1(oid, schema_name, slug, kind, key, junction, description, reason, remedy)
              JOIN pg_attribute a ON (((a.attrelid = t_1.oid) AND (a.attnum > 0) AND (NOT a.attisdropped))))
           WHERE (NOT t_1.junction)
         ), wire AS MATERIALIZED (
          SELECT n_1.column_name,
             service.camel_case(n_1.column_name) AS name
            FROM ( SELECT DISTINCT f.column_name
                    FROM found f) n_1
         ), type AS MATERIALIZED (
          SELECT b.oid,
             b.base,
             service.property_type(b.base) AS name,
             service.sql_type(b.base) AS sql_type,
             ( SELECT jsonb_agg(e.enumlabel ORDER BY e.enumsortorder) AS jsonb_agg
                    FROM pg_enum e
                   WHERE (e.enumtypid = b.base)) AS labels
            FROM ( SELECT DISTINCT f.atttypid AS oid,
                     service.base_type(f.atttypid) AS base
                    FROM found f) b
         ), named AS (
          SELECT f.slug,
             f.key,
             f.column_name,
             f.attrelid,
             f.attnum,
             f.atttypid,
             f.atttypmod,
             f.attnotnull,
             f.atthasdef,
             f.attidentity,
             f.attgenerated,
             w.name AS wire,
             row_number() OVER (PARTITION BY f.attrelid, w.name ORDER BY (f.column_name = w.name) DESC, f.attnum) AS claim
            FROM (found f
              JOIN wire w ON ((w.column_name = f.column_name)))
         )
  SELECT n.slug,
         CASE n.claim
             WHEN 1 THEN n.wire
             ELSE n.column_name
         END AS column_name,
     n.column_name,
     (n.attnum)::integer AS attnum,
     t.name,
     t.sql_type,
     n.attnotnull,
     (n.attnotnull AND (NOT n.atthasdef) AND (n.attidentity = ''::"char") AND (n.attgenerated = ''::"char")),
     ((n.attidentity = 'a'::"char") OR (n.attgenerated <> ''::"char")),
     (n.atttypid = ANY (ARRAY[('tsvector'::regtype)::oid, ('tsquery'::regtype)::oid])),
     NULL::text[] AS text,
     NULL::text[] AS text,
     jsonb_strip_nulls(jsonb_build_object('description', d.description, 'enum', t.labels, 'maxLength',
         CASE
             WHEN ((t.base = ANY (ARRAY[('character varying'::regtype)::oid, ('character'::regtype)::oid])) AND (n.atttypmod > 4)) THEN (n.atttypmod - 4)
             ELSE NULL::integer
         END, 'dimensions',
         CASE
             WHEN ((t.name = 'vector'::text) AND (n.atttypmod > 0)) THEN n.atttypmod
             ELSE NULL::integer
         END, 'isId',
         CASE
             WHEN (n.attnum = ANY (n.key)) THEN
             CASE
                 WHEN (n.atttypid = ('uuid'::regtype)::oid) THEN '"uuid"'::jsonb
                 WHEN (t.name = 'number'::text) THEN '"increment"'::jsonb
                 ELSE 'true'::jsonb
             END
             ELSE NULL::jsonb
         END)) AS jsonb_strip_nulls
    FROM ((named n
      JOIN type t ON ((t.oid = n.atttypid)))
      LEFT JOIN pg_description d ON (((d.classoid = ('pg_class'::regclass)::oid) AND (d.objoid = n.attrelid) AND (d.objsubid = n.attnum))));
END;
comment on function service.introspected_properties(tables introspected_table[]) is 'The columns of the served tables as rows of service.properties. Text search columns are kept out of the API; generated ones are read-only.';

CREATE OR REPLACE FUNCTION service.introspected_relations(tables service.introspected_table[], properties service.properties[])
 RETURNS SETOF service.relations
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH served AS MATERIALIZED (
          SELECT t.oid,
             t.schema_name,
             t.slug,
             t.kind,
             t.key,
             t.junction,
             t.description,
             t.reason,
             t.remedy
            FROM unnest(introspected_relations.tables) t(oid, schema_name, slug, kind, key, junction, description, reason, remedy)
         ), foreign_key AS (
          SELECT f.oid,
             f.conrelid,
             f.confrelid,
             f.conkey,
             child.slug AS child,
             child.schema_name,
             child.junction,
             parent.slug AS parent,
             service.column_names(f.conrelid, f.conkey) AS child_columns,
             service.column_names(f.confrelid, f.confkey) AS parent_columns,
             (f.conkey <@ child.key) AS in_key,
             (EXISTS ( SELECT
                    FROM pg_index i
                   WHERE ((i.indrelid = f.conrelid) AND i.indisunique AND (i.indpred IS NULL) AND (i.indnkeyatts = cardinality(f.conkey)) AND ((i.indkey)::smallint[] <@ f.conkey)))) AS unique_columns,
             count(*) OVER (PARTITION BY f.conrelid, f.confrelid) AS siblings
            FROM ((pg_constraint f
              JOIN served child ON ((child.oid = f.conrelid)))
              JOIN served parent ON (((parent.oid = f.confrelid) AND (NOT parent.junction))))
           WHERE (f.contype = 'f'::"char")
         ), candidate(collection, name, kind, target, local_columns, target_columns, junction_schema, junction_table, junction_source, junction_target, rank, tie) AS (
          SELECT f.child,
                 CASE
                     WHEN ((cardinality(f.conkey) > 1) OR (f.in_key AND (f.child_columns[1] !~~ '%\_id'::text))) THEN service.camel_case(f.parent)
                     ELSE service.camel_case(regexp_replace(f.child_columns[1], '_id$'::text, ''::text))
                 END AS camel_case,
             'belongsTo'::text AS "?column?",
             f.parent,
             f.child_columns,
             f.parent_columns,
             NULL::text AS text,
             NULL::text AS text,
             NULL::text[] AS text,
             NULL::text[] AS text,
             1 AS "?column?",
             f.oid
            FROM foreign_key f
           WHERE (NOT f.junction)
         UNION ALL
          SELECT f.parent,
             (f.child ||
                 CASE
                     WHEN (f.siblings > 1) THEN ('_'::text || array_to_string(f.child_columns, '_'::text))
                     ELSE ''::text
                 END),
                 CASE
                     WHEN f.unique_columns THEN 'hasOne'::text
                     ELSE 'hasMany'::text
                 END AS "case",
             f.child,
             f.parent_columns,
             f.child_columns,
             NULL::text,
             NULL::text,
             NULL::text[],
             NULL::text[],
             2,
             f.oid
            FROM foreign_key f
           WHERE (NOT f.junction)
         UNION ALL
          SELECT here.parent,
             (there.parent ||
                 CASE
                     WHEN (here.siblings > 1) THEN ('_'::text || there.child_columns[1])
                     ELSE ''::text
                 END),
             'manyToMany'::text,
             there.parent,
             here.parent_columns,
             there.parent_columns,
             here.schema_name,
             here.child,
             here.child_columns,
             there.child_columns,
             3,
             here.oid
            FROM (foreign_key here
              JOIN foreign_key there ON (((there.conrelid = here.conrelid) AND (there.oid <> here.oid))))
           WHERE here.junction
         ), numbered AS (
          SELECT c.collection,
             c.name,
             c.kind,
             c.target,
             c.local_columns,
             c.target_columns,
             c.junction_schema,
             c.junction_table,
             c.junction_source,
             c.junction_target,
             c.rank,
             c.tie,
             (row_number() OVER (PARTITION BY c.collection, c.name ORDER BY c.rank, c.tie) +
                 CASE
                     WHEN ((c.name = ANY (ARRAY['count'::text, 'aggregate'::text, 'bulk'::text, 'history'::text])) OR ((p.name IS NOT NULL) AND (NOT ((c.kind = 'belongsTo'::text) AND (p.column_name = ANY (c.local_columns)))))) THEN 1
                     ELSE 0
                 END) AS n
            FROM (candidate c
              LEFT JOIN unnest(introspected_relations.properties) p(collection, name, column_name, "position", type, sql_type, not_null, required, generated, excluded, read_roles, write_roles, attributes) ON (((p.collection = c.collection) AND (p.name = c.name))))
         )
  SELECT n.collection,
         CASE n.n
             WHEN 1 THEN n.name
             ELSE ((n.name || '_'::text) || n.n)
         END AS "case",
     n.kind,
     n.target,
     n.local_columns,
     n.target_columns,
     n.junction_schema,
     n.junction_table,
     n.junction_source,
     n.junction_target,
     NULL::jsonb AS jsonb,
     NULL::text AS text
    FROM numbered n;
END;
comment on function service.introspected_relations(tables introspected_table[], properties properties[]) is 'The relations of the served tables as rows of service.relations: belongsTo named after the column without _id, its inverse and many-to-many named after the table they lead to.';

CREATE OR REPLACE FUNCTION service.introspected_tables(schema text, unprotected text)
 RETURNS SETOF service.introspected_table
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH relation AS (
          SELECT c.oid,
             (c.relname)::text AS name,
             c.relkind,
             c.relrowsecurity,
             (j.oid IS NOT NULL) AS junction,
             d.description,
                 CASE c.relkind
                     WHEN 'v'::"char" THEN service.view_key(c.oid)
                     ELSE p.conkey
                 END AS key,
             (EXISTS ( SELECT
                    FROM pg_policy p_1
                   WHERE (p_1.polrelid = c.oid))) AS has_policy,
             COALESCE((c.reloptions && ARRAY['security_invoker=true'::text, 'security_invoker=on'::text, 'security_invoker=1'::text, 'security_invoker=yes'::text]), false) AS invoker
            FROM ((((pg_class c
              JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
              LEFT JOIN pg_constraint p ON (((p.conrelid = c.oid) AND (p.contype = 'p'::"char"))))
              LEFT JOIN pg_description d ON (((d.classoid = ('pg_class'::regclass)::oid) AND (d.objoid = c.oid) AND (d.objsubid = 0))))
              LEFT JOIN service.junctions(introspected_tables.schema) j(oid) ON ((j.oid = c.oid)))
           WHERE ((n.nspname = introspected_tables.schema) AND (c.relkind = ANY (ARRAY['r'::"char", 'p'::"char", 'v'::"char"])) AND (NOT c.relispartition) AND (c.relname !~~ 'drizzle\_%'::text) AND (NOT (EXISTS ( SELECT
                    FROM pg_depend d_1
                   WHERE ((d_1.classid = ('pg_class'::regclass)::oid) AND (d_1.objid = c.oid) AND (d_1.deptype = 'e'::"char"))))))
         )
  SELECT r.oid,
     introspected_tables.schema AS schema,
     r.name,
     r.relkind,
     r.key,
     r.junction,
     r.description,
         CASE
             WHEN (r.name = ANY (ARRAY['collections'::text, '_batch'::text])) THEN 'its name is taken by a route'::text
             WHEN ((r.relkind = 'v'::"char") AND (NOT r.invoker)) THEN 'a view that runs as its owner, past row security'::text
             WHEN ((r.key IS NULL) AND (r.relkind = 'v'::"char")) THEN 'a view whose key is not known'::text
             WHEN (r.key IS NULL) THEN 'no primary key'::text
             WHEN ((r.relkind <> 'v'::"char") AND (introspected_tables.unprotected <> 'serve'::text) AND (NOT r.relrowsecurity)) THEN 'row security is off'::text
             WHEN ((r.relkind <> 'v'::"char") AND (introspected_tables.unprotected <> 'serve'::text) AND (NOT r.has_policy)) THEN 'row security is on, but there is no policy'::text
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN (r.name = ANY (ARRAY['collections'::text, '_batch'::text])) THEN format('alter table %I.%I rename to …;'::text, introspected_tables.schema, r.name)
             WHEN ((r.relkind = 'v'::"char") AND (NOT r.invoker)) THEN format('alter view %I.%I set (security_invoker = on);'::text, introspected_tables.schema, r.name)
             WHEN ((r.key IS NULL) AND (r.relkind = 'v'::"char")) THEN format('comment on view %I.%I is ''@key id'';'::text, introspected_tables.schema, r.name)
             WHEN (r.key IS NULL) THEN format('alter table %I.%I add primary key (…);'::text, introspected_tables.schema, r.name)
             WHEN (NOT r.relrowsecurity) THEN format('alter table %1$I.%2$I enable row level security; create policy %3$I on %1$I.%2$I for select using (…);'::text, introspected_tables.schema, r.name, (r.name || '_read'::text))
             ELSE format('create policy %3$I on %1$I.%2$I for select using (…);'::text, introspected_tables.schema, r.name, (r.name || '_read'::text))
         END AS format
    FROM relation r;
END;
comment on function service.introspected_tables(schema text, unprotected text) is 'The tables and views of a schema: slug, key columns, whether it is a pure junction, and for those that are not served the reason and the SQL that would change it. unprotected: skip or serve tables without row security.';

CREATE OR REPLACE FUNCTION service.is_anonymous()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE((NULLIF(current_setting('app.is_anonymous'::text, true), ''::text))::boolean, false);
comment on function service.is_anonymous() is 'True for a guest account (signed in, but without credentials of its own). False for everybody else and outside a request.';
grant execute on function service.is_anonymous() to service_user;

CREATE OR REPLACE FUNCTION service.is_sortable(sql_type text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM ((service.operand_types(is_sortable.sql_type) t(type)
              JOIN pg_opclass c ON (((c.opcintype = t.type) AND c.opcdefault)))
              JOIN pg_am m ON (((m.oid = c.opcmethod) AND (m.amname = 'btree'::name)))))) AS "exists";
END;
comment on function service.is_sortable(sql_type text) is 'Whether PostgreSQL has an order for a type: not so for xml, json or the geometric types.';

CREATE OR REPLACE FUNCTION service.json_comparison(expression text, property service.properties, path text, condition jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.json_comparison(expression text, property properties, path text, condition jsonb) is 'SQL text of one condition on a path inside a JSON column: text comparison; numeric when an ordering operator was given a JSON number. GW400 as service.operand, INVALID_FILTER_OPERATOR for array operators or a column that is not JSON.';

CREATE OR REPLACE FUNCTION service.json_path(expression text, path text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT format('(%s #>> array[%s]::text[])'::text, json_path.expression, string_agg(quote_literal(s.segment), ', '::text ORDER BY s.n)) AS format
    FROM regexp_split_to_table(json_path.path, '->>?'::text) WITH ORDINALITY s(segment, n)
   WHERE (s.n > 1);
END;
comment on function service.json_path(expression text, path text) is 'SQL text of the text leaf under a JSON column, from a field name such as metadata->address->>city (the first segment is the column).';

CREATE OR REPLACE FUNCTION service.junctions(schema text)
 RETURNS SETOF oid
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH linking AS (
          SELECT f.conrelid AS oid,
             array_agg(f.conkey[1]) AS columns
            FROM pg_constraint f
           WHERE (f.contype = 'f'::"char")
           GROUP BY f.conrelid
          HAVING ((count(*) = 2) AND (count(DISTINCT f.conkey[1]) = 2) AND (max(cardinality(f.conkey)) = 1))
         )
  SELECT l.oid
    FROM ((linking l
      JOIN pg_class c ON ((c.oid = l.oid)))
      JOIN pg_namespace n ON (((n.oid = c.relnamespace) AND (n.nspname = junctions.schema))))
   WHERE ((EXISTS ( SELECT
            FROM pg_index i
           WHERE ((i.indrelid = l.oid) AND i.indisunique AND (i.indpred IS NULL) AND (i.indnkeyatts = 2) AND (((i.indkey)::smallint[])[0] = ANY (l.columns)) AND (((i.indkey)::smallint[])[1] = ANY (l.columns))))) AND (NOT (EXISTS ( SELECT
            FROM (pg_attribute a
              LEFT JOIN pg_attrdef d ON (((d.adrelid = a.attrelid) AND (d.adnum = a.attnum))))
           WHERE ((a.attrelid = l.oid) AND (a.attnum > 0) AND (NOT a.attisdropped) AND (a.attnum <> ALL (l.columns)) AND (a.attidentity = ''::"char") AND (a.attgenerated = ''::"char") AND (NOT ((d.oid IS NOT NULL) AND (a.atttypid = ANY (ARRAY[('timestamp with time zone'::regtype)::oid, ('timestamp without time zone'::regtype)::oid, ('date'::regtype)::oid])))) AND (NOT COALESCE((pg_get_expr(d.adbin, d.adrelid) ~~ 'nextval(%'::text), false)))))) AND (NOT (EXISTS ( SELECT
            FROM pg_constraint f
           WHERE ((f.confrelid = l.oid) AND (f.contype = 'f'::"char"))))));
END;
comment on function service.junctions(schema text) is 'The tables of a schema that only link two others, so that they become many-to-many relations instead of collections.';

CREATE OR REPLACE FUNCTION service.jwt()
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE((NULLIF(current_setting('app.jwt'::text, true), ''::text))::jsonb, '{}'::jsonb);
comment on function service.jwt() is 'The caller''s verified claims: custom claims of the token, with sub, roles and is_anonymous written by the service. {} outside a request. In a policy: (select service.jwt()) ->> ''org_id''.';
grant execute on function service.jwt() to service_user;

CREATE OR REPLACE FUNCTION service.key_predicate(collection text, alias text, parameter text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (
         CASE
             WHEN (count(*) > 1) THEN format(' and cardinality(string_to_array($%s::text, '':::'')) = %s'::text, key_predicate.parameter, count(*))
             ELSE ''::text
         END || string_agg(format(' and %s.%I = %s'::text, key_predicate.alias, p.column_name,
         CASE
             WHEN (cardinality(c.key) = 1) THEN service.value((key_predicate.parameter)::integer, p.sql_type)
             ELSE format('(string_to_array($%s::text, '':::''))[%s]::%s'::text, key_predicate.parameter, k.n, p.sql_type)
         END), ''::text ORDER BY k.n))
    FROM service.collections c,
     (LATERAL unnest(c.key) WITH ORDINALITY k(name, n)
      JOIN service.properties p ON ((p.name = k.name)))
   WHERE ((c.slug = key_predicate.collection) AND (p.collection = key_predicate.collection));
END;
comment on function service.key_predicate(collection text, alias text, parameter text) is 'SQL text (beginning with and) of "this row has the id in that parameter". The parts of a composite key stand in one parameter, joined by :::.';

CREATE OR REPLACE FUNCTION service.list(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service.service_claims())
 RETURNS json
 LANGUAGE sql
RETURN (SELECT (r.r)::json AS r FROM service.run(service.with_route('list'::text, ARRAY[list.collection], list.request), list.claims) r(r));
comment on function service.list(collection text, request json, claims jsonb) is 'The answer of GET /data/<collection>, as JSON. request: {where, logical, orderBy, limit, offset, after, fields, include, count}, see service.hoist. claims: the caller, by default the service key.';

CREATE OR REPLACE FUNCTION service.logical(collection text, alias text, node jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.logical(collection text, alias text, node jsonb, roles text[]) is 'SQL text of a logical group {type: and|or|not, conditions: […]} or of a leaf {column, condition}, to any depth. not(a,b) is (a and b) is not true, so it includes rows where the columns are NULL.';

CREATE OR REPLACE FUNCTION service.login_role(name text, password text, settings jsonb, renew boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.login_role(name text, password text, settings jsonb, renew boolean) is 'Makes (or completes) a lane''s login role for this database: member of service_user, with settings {name: value} stored in this database. password: a SCRAM-SHA-256 verifier, used when the role is new, or renew says so. Needs CREATEROLE.';

CREATE OR REPLACE FUNCTION service.membership(relation service.relations, alias text, condition jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.membership(relation relations, alias text, condition jsonb, roles text[]) is 'SQL text of a condition on a relation by its name: the foreign key of a belongsTo, else whether related rows (with these ids) exist. Negative operators mean that no related row matches. GW400 UNSUPPORTED_RELATION_FILTER; UNSUPPORTED_RELATION_FILTER_OPERATOR, also for the ids of a composite key.';

CREATE OR REPLACE FUNCTION service.missing_grants()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH served AS (
          SELECT c.schema_name,
             c.table_name,
             c.read_only
            FROM service.collections c
         UNION
          SELECT r.junction_schema,
             r.junction_table,
             false
            FROM service.relations r
           WHERE (r.junction_table IS NOT NULL)
         ), relation AS (
          SELECT s.schema_name,
             s.table_name,
             s.read_only,
             format('%I.%I'::text, s.schema_name, s.table_name) AS name
            FROM served s
           WHERE (to_regclass(format('%I.%I'::text, s.schema_name, s.table_name)) IS NOT NULL)
         )
  SELECT format('grant usage on schema %I to service_user;'::text, r.schema_name) AS format
    FROM relation r
   WHERE (NOT has_schema_privilege('service_user'::name, r.schema_name, 'usage'::text))
 UNION
  SELECT format('grant %s on %s to service_user;'::text,
         CASE
             WHEN r.read_only THEN 'select'::text
             ELSE 'select, insert, update, delete'::text
         END, r.name) AS format
    FROM relation r
   WHERE (EXISTS ( SELECT
            FROM unnest(
                 CASE
                     WHEN r.read_only THEN ARRAY['select'::text]
                     ELSE ARRAY['select'::text, 'insert'::text, 'update'::text, 'delete'::text]
                 END) p(privilege)
           WHERE (NOT has_table_privilege('service_user'::name, r.name, p.privilege))))
 UNION
  SELECT format('grant usage on sequence %s to service_user;'::text, (d.objid)::regclass) AS format
    FROM ((relation r
      JOIN pg_depend d ON (((d.refobjid = ((r.name)::regclass)::oid) AND (d.refobjsubid > 0) AND (d.classid = ('pg_class'::regclass)::oid) AND (d.deptype = 'a'::"char"))))
      JOIN pg_class s ON (((s.oid = d.objid) AND (s.relkind = 'S'::"char"))))
   WHERE ((NOT r.read_only) AND
         CASE s.relkind
             WHEN 'S'::"char" THEN (NOT has_sequence_privilege('service_user'::name, s.oid, 'usage'::text))
             ELSE NULL::boolean
         END)
  ORDER BY 1;
END;
comment on function service.missing_grants() is 'The GRANT statements that the served tables still need for service_user; none when all is granted.';

CREATE OR REPLACE FUNCTION service.missing_values(served service.collections, op text, body jsonb)
 RETURNS TABLE(field text, code text, message text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT COALESCE(r.name, p.name) AS "coalesce",
     'required'::text,
     COALESCE((p.attributes ->> 'requiredMessage'::text), ((p.attributes -> 'validation'::text) ->> 'requiredMessage'::text), format('%s is required.'::text, COALESCE(r.name, p.name))) AS "coalesce"
    FROM (service.properties p
      LEFT JOIN service.relations r ON (((r.collection = p.collection) AND (r.kind = 'belongsTo'::text) AND (r.local_columns = ARRAY[p.column_name]))))
   WHERE ((p.collection = (missing_values.served).slug) AND p.required AND (NOT p.excluded) AND (NOT (p.attributes ? 'autoValue'::text)) AND (NOT ((p.name = ANY ((missing_values.served).key)) AND ((p.attributes ->> 'isId'::text) = ANY (ARRAY['uuid'::text, 'increment'::text])) AND ((missing_values.served).source = 'file'::text))) AND (NOT ((missing_values.served).callbacks ? 'beforeSave'::text)) AND
         CASE missing_values.op
             WHEN 'create'::text THEN COALESCE(( SELECT bool_and((s.value = 'null'::jsonb)) AS bool_and
                FROM service.body_columns(missing_values.served, missing_values.body) s(field, value, column_name, type, sql_type, attributes, is_key)
               WHERE (s.column_name = p.column_name)), true)
             ELSE COALESCE(( SELECT bool_or((s.value = 'null'::jsonb)) AS bool_or
                FROM service.body_columns(missing_values.served, missing_values.body) s(field, value, column_name, type, sql_type, attributes, is_key)
               WHERE (s.column_name = p.column_name)), false)
         END);
END;
comment on function service.missing_values(served collections, op text, body jsonb) is 'Required fields that a body leaves out (create) or sets to null.';

CREATE OR REPLACE FUNCTION service.needs_entering(statement text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH bare AS (
          SELECT format('%I.%I'::text, n.nspname, c.relname) AS name
            FROM ((pg_policy p
              JOIN pg_class c ON (((c.oid = p.polrelid) AND (c.relkind = 'p'::"char"))))
              JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
           WHERE (regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\( SELECT [\w.]+\([^()]*\)( AS \w+)?\)'::text, ''::text, 'g'::text) ~ '\w\('::text)
         )
  SELECT ((EXISTS ( SELECT
            FROM bare b
           WHERE (POSITION((b.name) IN (needs_entering.statement)) > 0))) OR ((EXISTS ( SELECT
            FROM bare)) AND (EXISTS ( SELECT
            FROM service.collections c
           WHERE (c.read_only AND (POSITION((format('%I.%I'::text, c.schema_name, c.table_name)) IN (needs_entering.statement)) > 0))))));
END;
comment on function service.needs_entering(statement text) is 'Whether a compiled statement touches a partitioned table whose policies call functions outside (select …), so that it must run in a transaction that has entered before.';

CREATE OR REPLACE FUNCTION service.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT format('service.cursor_seal(%L, %L, json_agg(json_build_array(%s)) filter (where %s = %s) -> 0)'::text, next_cursor.collection, COALESCE(jsonb_agg(jsonb_build_array(k.field, k.direction, k.nulls) ORDER BY k.n) FILTER (WHERE (k.field IS NOT NULL)), '[]'::jsonb), string_agg(
         CASE
             WHEN ((k.field IS NULL) AND k.nullable) THEN format('coalesce(''='' || %s::text, '''')'::text, k.expression)
             ELSE (k.expression || '::text'::text)
         END, ', '::text ORDER BY k.n), next_cursor.row_number, next_cursor.page_size) AS format
    FROM service.order_keys(next_cursor.collection, 't'::text, (next_cursor.shape -> 'orderBy'::text), next_cursor.roles) k(n, field, expression, sql_type, direction, nulls, nullable);
END;
comment on function service.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text) is 'SQL text of the signed cursor after the last served row; computed for that row only.';

CREATE OR REPLACE FUNCTION service.normalized_text(text text, rules jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;
comment on function service.normalized_text(text text, rules jsonb) is 'A text after the rules trim, lowercase and uppercase of its property, which apply before the others are judged.';

CREATE OR REPLACE FUNCTION service.not_compiled(shape jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((shape ->> 'op'::text) <> ALL (ARRAY['list'::text, 'get'::text, 'count'::text])) THEN 'Aggregation'::text WHEN (shape ? 'search'::text) THEN 'searchString'::text WHEN (shape ? 'vector'::text) THEN 'Vector search'::text WHEN (shape ? 'distinct'::text) THEN 'distinct'::text WHEN (shape ? 'deleted'::text) THEN 'deleted'::text ELSE NULL::text END;
comment on function service.not_compiled(shape jsonb) is 'What a shape asks for that is not compiled yet, in words; null when all of it is.';

CREATE OR REPLACE FUNCTION service.on_ddl()
 RETURNS event_trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
end $function$;
comment on function service.on_ddl() is 'Event trigger: tells the gateways that tables may have changed. One notification a transaction.';

CREATE OR REPLACE FUNCTION service.operand(field text, condition jsonb, OUT operator text, OUT template text, OUT families text[], OUT negated text, OUT takes text, OUT parameter integer, OUT list boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.operand(field text, condition jsonb, OUT operator text, OUT template text, OUT families text[], OUT negated text, OUT takes text, OUT parameter integer, OUT list boolean) is 'A condition [operator, parameter] read: its row of service.operators(), the parameter''s number and whether it is a list ([number]). GW400 UNKNOWN_FILTER_OPERATOR {field, operator, validOperators}, INVALID_WHERE when the value is not what the operator takes.';

CREATE OR REPLACE FUNCTION service.operand_types(sql_type text)
 RETURNS SETOF oid
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH this AS (
          SELECT t.oid,
             t.typtype,
             t.typcategory
            FROM pg_type t
           WHERE (t.oid = service.base_type((to_regtype(operand_types.sql_type))::oid))
         )
  SELECT t.oid
    FROM this t
 UNION
  SELECT c.casttarget
    FROM (this t
      JOIN pg_cast c ON (((c.castsource = t.oid) AND (c.castcontext = 'i'::"char"))))
 UNION
  SELECT (
         CASE t.typtype
             WHEN 'e'::"char" THEN 'anyenum'::regtype
             WHEN 'r'::"char" THEN 'anyrange'::regtype
             WHEN 'm'::"char" THEN 'anymultirange'::regtype
             WHEN 'c'::"char" THEN 'record'::regtype
             ELSE 'anyarray'::regtype
         END)::oid AS oid
    FROM this t
   WHERE ((t.typtype = ANY (ARRAY['e'::"char", 'r'::"char", 'm'::"char", 'c'::"char"])) OR (t.typcategory = 'A'::"char"));
END;
comment on function service.operand_types(sql_type text) is 'The types whose operators serve a value of this type: its own, those it is cast to implicitly, and its polymorphic one.';

CREATE OR REPLACE FUNCTION service.operators()
 RETURNS TABLE(operator text, template text, families text[], negated text, takes text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT o.operator,
     o.template,
     o.families,
     o.negated,
     o.takes
    FROM ( VALUES ('=='::text,'%1$s = %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('!='::text,'%1$s <> %2$s'::text,'{string,number,boolean,date}'::text[],'=='::text,'scalar'::text), ('>'::text,'%1$s > %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('>='::text,'%1$s >= %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('<'::text,'%1$s < %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('<='::text,'%1$s <= %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('in'::text,'%1$s = any (%2$s)'::text,'{string,number,boolean,date}'::text[],NULL::text,'list'::text), ('not-in'::text,'%1$s <> all (%2$s)'::text,'{string,number,boolean,date}'::text[],'in'::text,'list'::text), ('array-contains'::text,'%1$s @> array[%2$s]'::text,'{array}'::text[],NULL::text,'scalar'::text), ('array-contains-any'::text,'%1$s && %2$s'::text,'{array}'::text[],NULL::text,'list'::text), ('like'::text,'%1$s like %2$s'::text,'{string}'::text[],NULL::text,'text'::text), ('ilike'::text,'%1$s ilike %2$s'::text,'{string}'::text[],NULL::text,'text'::text), ('not-like'::text,'%1$s not like %2$s'::text,'{string}'::text[],'like'::text,'text'::text), ('not-ilike'::text,'%1$s not ilike %2$s'::text,'{string}'::text[],'ilike'::text,'text'::text), ('is-null'::text,'%1$s is null'::text,'{string,number,boolean,date,array,map,json,binary}'::text[],NULL::text,'nothing'::text), ('is-not-null'::text,'%1$s is not null'::text,'{string,number,boolean,date,array,map,json,binary}'::text[],NULL::text,'nothing'::text)) o(operator, template, families, negated, takes);
END;
comment on function service.operators() is 'The sixteen filter operators: their SQL template (%1$s column, %2$s value), the property types they apply to, the positive operator that a negative one denies across a relation, and what value they take.';

CREATE OR REPLACE FUNCTION service.order_by(collection text, alias text, requested jsonb, roles text[])
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT string_agg((((k.expression || ' '::text) || k.direction) ||
         CASE
             WHEN (k.nullable AND (k.nulls <>
             CASE k.direction
                 WHEN 'desc'::text THEN 'first'::text
                 ELSE 'last'::text
             END)) THEN (' nulls '::text || k.nulls)
             ELSE ''::text
         END), ', '::text ORDER BY k.n) AS string_agg
    FROM service.order_keys(order_by.collection, order_by.alias, order_by.requested, order_by.roles) k(n, field, expression, sql_type, direction, nulls, nullable);
END;
comment on function service.order_by(collection text, alias text, requested jsonb, roles text[]) is 'SQL text after ORDER BY: the requested keys, then the collection''s key descending.';

CREATE OR REPLACE FUNCTION service.order_keys(collection text, alias text, requested jsonb, roles text[])
 RETURNS TABLE(n bigint, field text, expression text, sql_type text, direction text, nulls text, nullable boolean)
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.order_keys(collection text, alias text, requested jsonb, roles text[]) is 'The keys of an ordering, complete: requested [{field, direction, nulls}] resolved to expressions, then what is left of the collection''s key, descending (field null). GW400 as service.sort_property.';

CREATE OR REPLACE FUNCTION service.page(collection text, shape jsonb, scope text, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.page(collection text, shape jsonb, scope text, roles text[]) is 'SQL text of the rows of one page, whole rows in order, one more than the limit at least. The limit stands rounded up as a literal, so that the planner sees its size and shapes stay few.';

CREATE OR REPLACE FUNCTION service.path_collection(path jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.path_collection(path jsonb) is 'The collection that a path [slug, id, relation, …] ends in. GW404 NOT_FOUND for an unknown slug, GW404 UNKNOWN_RELATION for a relation that its parent does not have.';

CREATE OR REPLACE FUNCTION service.pattern(declared text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (declared ~ '^/.*/i$'::text) THEN ('(?i)'::text || substr(declared, 2, (length(declared) - 3))) WHEN (declared ~ '^/.*/$'::text) THEN substr(declared, 2, (length(declared) - 2)) ELSE declared END;
comment on function service.pattern(declared text) is 'The PostgreSQL regular expression of a declared pattern: itself, or what stands between slashes, with flag i only.';

CREATE OR REPLACE FUNCTION service.predicate(collection text, alias text, node jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.predicate(collection text, alias text, node jsonb, roles text[]) is 'SQL text of everything that narrows a request or an include node ({where, logical}), beginning with and; null when nothing does.';

CREATE OR REPLACE FUNCTION service.property_type(type oid)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (t.typname = ANY (ARRAY['int2'::name, 'int4'::name, 'int8'::name, 'numeric'::name, 'float4'::name, 'float8'::name, 'money'::name])) THEN 'number'::text
             WHEN (t.typname = 'bool'::name) THEN 'boolean'::text
             WHEN (t.typname = ANY (ARRAY['date'::name, 'timestamp'::name, 'timestamptz'::name, 'time'::name, 'timetz'::name])) THEN 'date'::text
             WHEN (t.typname = ANY (ARRAY['json'::name, 'jsonb'::name])) THEN 'map'::text
             WHEN (t.typname = ANY (ARRAY['vector'::name, 'halfvec'::name, 'sparsevec'::name])) THEN 'vector'::text
             WHEN (t.typname = 'bytea'::name) THEN 'binary'::text
             WHEN (t.typcategory = 'A'::"char") THEN 'array'::text
             ELSE 'string'::text
         END AS "case"
    FROM pg_type t
   WHERE (t.oid = service.base_type(property_type.type));
END;
comment on function service.property_type(type oid) is 'The property type of a column type; string for whatever has no type of its own.';

CREATE OR REPLACE FUNCTION service.reached_by(alias text, columns text[], parent_rows text, parent_columns text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (cardinality(columns) = 1) THEN format('%s.%I = any (array(select p.%I from %I p))'::text, alias, (columns)[1], (parent_columns)[1], parent_rows) ELSE format('(%s) in (select %s from %I p)'::text, service.column_list(alias, columns), service.column_list('p'::text, parent_columns), parent_rows) END;
comment on function service.reached_by(alias text, columns text[], parent_rows text, parent_columns text[]) is 'SQL text: these columns of the alias equal those columns of one of the parent rows.';

CREATE OR REPLACE FUNCTION service.readable(property service.properties, roles text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
RETURN (((property).read_roles IS NULL) OR COALESCE(((property).read_roles && roles), false) OR (COALESCE(('admin'::text = ANY (roles)), false) AND ((property).read_roles <> '{}'::text[])));
comment on function service.readable(property properties, roles text[]) is 'Whether holders of these roles may read the property: no list means everybody, an empty list nobody, and admin may read whatever somebody may.';

CREATE OR REPLACE FUNCTION service.refuse_unaffected(request jsonb, visible boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if visible or request ->> 'op' = 'create' then
    perform service.fail(403, 'WRITE_DENIED', 'Row security does not let this caller write this row.');
  end if;
  perform service.fail(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.',
    jsonb_build_object('collection', request -> 'path' -> 0, 'id', request -> 'path' -> 1));
end $function$;
comment on function service.refuse_unaffected(request jsonb, visible boolean) is 'Says why a write touched no row: GW403 WRITE_DENIED when the caller sees the row, GW404 NOT_FOUND when not.';
grant execute on function service.refuse_unaffected(request jsonb, visible boolean) to service_user;

CREATE OR REPLACE FUNCTION service.related_condition(relation service.relations, alias text, field text, condition jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.related_condition(relation relations, alias text, field text, condition jsonb, roles text[]) is 'SQL text of a condition on a column of a relation, one hop: some related row matches; for a negative operator, no related row does. GW400 UNKNOWN_FILTER_FIELD with the target''s fields, UNSUPPORTED_RELATION_FILTER for a via relation.';

CREATE OR REPLACE FUNCTION service.relation_from(relation service.relations, source_alias text, target_alias text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((relation_from.relation).junction_table IS NULL) THEN format('%I.%I %s where %s'::text, c.schema_name, c.table_name, relation_from.target_alias, service.column_pairs(relation_from.target_alias, (relation_from.relation).target_columns, relation_from.source_alias, (relation_from.relation).local_columns))
             ELSE format('%I.%I %5$sj join %3$I.%4$I %5$s on %6$s where %7$s'::text, (relation_from.relation).junction_schema, (relation_from.relation).junction_table, c.schema_name, c.table_name, relation_from.target_alias, service.column_pairs(relation_from.target_alias, (relation_from.relation).target_columns, (relation_from.target_alias || 'j'::text), (relation_from.relation).junction_target), service.column_pairs((relation_from.target_alias || 'j'::text), (relation_from.relation).junction_source, relation_from.source_alias, (relation_from.relation).local_columns))
         END AS format
    FROM service.collections c
   WHERE (c.slug = (relation_from.relation).target);
END;
comment on function service.relation_from(relation relations, source_alias text, target_alias text) is 'SQL text after FROM that reaches the related rows (alias target) of one row (alias source), with its WHERE begun.';

CREATE OR REPLACE FUNCTION service.reload()
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pg_notify('service_catalog'::text, 'ddl'::text) AS pg_notify;
END;
comment on function service.reload() is 'Asks every gateway to look at the tables again. Needed after DDL only where service.watch_ddl() returned false.';

CREATE OR REPLACE FUNCTION service.require_cursor(collection text, shape jsonb, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.require_cursor(collection text, shape jsonb, roles text[]) is 'Nothing, or GW400 CURSOR_ORDER_MISMATCH when shape.after was issued under another order than shape.orderBy, INVALID_CURSOR when it names a field that cannot be sorted by (any more).';

CREATE OR REPLACE FUNCTION service.require_key(served service.collections, id text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.require_key(served collections, id text) is 'Nothing, or GW404 NOT_FOUND when an id cannot be of the type of the collection''s key.';

CREATE OR REPLACE FUNCTION service.require_known_fields(served service.collections, body jsonb, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.require_known_fields(served collections, body jsonb, roles text[]) is 'Nothing, or GW400 VALIDATION_UNKNOWN_FIELDS {collection, fields} for names that are no field of the collection.';

CREATE OR REPLACE FUNCTION service.require_open_fields(served service.collections, op text, body jsonb, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.require_open_fields(served collections, op text, body jsonb, roles text[]) is 'Nothing, or GW400 VALIDATION_EXCLUDED_FIELDS {collection, fields} for what nobody may write, FIELD_NOT_WRITABLE {collection, fields, violations} for what these roles may not.';

CREATE OR REPLACE FUNCTION service.require_readable(property service.properties, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if not service.readable(property, roles) then
    perform service.fail(400, 'FIELD_NOT_READABLE', format('Field %s of %s cannot be read by this caller.', property.name, property.collection),
      jsonb_build_object('collection', property.collection, 'fields', jsonb_build_array(property.name),
        'violations', jsonb_build_array(jsonb_build_object('field', property.name, 'code', 'access', 'message', 'Reading it needs another role.'))));
  end if;
end $function$;
comment on function service.require_readable(property properties, roles text[]) is 'Nothing, or GW400 FIELD_NOT_READABLE with details {collection, fields, violations} when these roles may not read the property.';

CREATE OR REPLACE FUNCTION service.require_relation_readable(relation service.relations, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  column_name text;
begin
  if relation.kind = 'belongsTo' then
    foreach column_name in array relation.local_columns loop
      perform service.require_readable(service.find_column(relation.collection, column_name), roles);
    end loop;
  end if;
end $function$;
comment on function service.require_relation_readable(relation relations, roles text[]) is 'Nothing, or GW400 FIELD_NOT_READABLE when these roles may not read the foreign key of a belongsTo.';

CREATE OR REPLACE FUNCTION service.require_response_fields(collection text, fields jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  unknown text := (select f from jsonb_array_elements_text(fields) f where (service.find_property(collection, f)).name is null limit 1);
begin
  if unknown is not null then
    perform service.fail(400, 'UNKNOWN_RESPONSE_FIELD', format('%s has no field %s to answer with.', collection, unknown),
      jsonb_build_object('field', unknown, 'collection', collection));
  end if;
end $function$;
comment on function service.require_response_fields(collection text, fields jsonb) is 'Nothing, or GW400 UNKNOWN_RESPONSE_FIELD {field, collection} when a write asks to be answered with a field that is not there.';

CREATE OR REPLACE FUNCTION service.require_same_key(served service.collections, body jsonb, id text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.require_same_key(served collections, body jsonb, id text) is 'Nothing, or GW400 KEY_IMMUTABLE {collection, violations} when an update sends another key than that of its row.';

CREATE OR REPLACE FUNCTION service.require_valid_values(served service.collections, op text, body jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.require_valid_values(served collections, op text, body jsonb) is 'Nothing, or every broken rule of a body at once: GW400 VALIDATION_INVALID_VALUE when values are of the wrong type only, else VALIDATION_CONSTRAINT; details {collection, violations: [{field, code, message}], messages}.';

CREATE OR REPLACE FUNCTION service.roles()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE(current_setting('app.user_roles'::text, true), ''::text);
comment on function service.roles() is 'The caller''s roles as a comma list; '''' for none and outside a request. In a policy: ''admin'' = any (string_to_array((select service.roles()), '','')).';
grant execute on function service.roles() to service_user;

CREATE OR REPLACE FUNCTION service.row_columns(collection text, alias text, node jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.row_columns(collection text, alias text, node jsonb, roles text[]) is 'SQL text of the columns of a row under their wire names, as these roles may read them and as fields asks. GW400 UNKNOWN_FIELD {field, collection}, FIELD_NOT_READABLE.';

CREATE OR REPLACE FUNCTION service.run(request json, claims jsonb, prefix text DEFAULT ''::text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO, YMD'
 SET "IntervalStyle" TO 'postgres'
 SET jit TO 'off'
AS $function$
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
end $function$;
comment on function service.run(request json, claims jsonb, prefix text) is 'Runs a request {op, path, …} as the caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}): the body the API would send; with prefix ''explain'' its plan.';

CREATE OR REPLACE FUNCTION service.scalar_value(expression text, sql_type text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (sql_type = 'timestamp with time zone'::text) THEN format('case when isfinite(%1$s) then to_char(%1$s at time zone ''UTC'', ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'') end'::text, expression) WHEN (sql_type = 'timestamp without time zone'::text) THEN format('case when isfinite(%1$s) then to_char(%1$s, ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'') end'::text, expression) WHEN (sql_type = 'date'::text) THEN format('case when isfinite(%1$s) then %1$s end'::text, expression) WHEN (sql_type = ANY (ARRAY['numeric'::text, 'real'::text, 'double precision'::text])) THEN format('case when %1$s < ''Infinity'' and %1$s > ''-Infinity'' then %1$s end'::text, expression) WHEN (sql_type = 'money'::text) THEN (expression || '::numeric'::text) WHEN (sql_type = 'bytea'::text) THEN format('translate(encode(%s, ''base64''), chr(10), '''')'::text, expression) WHEN (sql_type ~ '(^|\.)(half|sparse)?vector$'::text) THEN (expression || '::text::json'::text) WHEN (sql_type = ANY (ARRAY['smallint'::text, 'integer'::text, 'bigint'::text, 'boolean'::text, 'text'::text, 'character varying'::text, 'bpchar'::text, 'uuid'::text, 'inet'::text, 'json'::text, 'jsonb'::text])) THEN expression ELSE (expression || '::text'::text) END;
comment on function service.scalar_value(expression text, sql_type text) is 'SQL text of a value of a type that is no array, as it stands in JSON: UTC dates with milliseconds, finite numbers with every digit, base64 for bytea, arrays of numbers for vectors, text for whatever JSON does not know.';

CREATE OR REPLACE FUNCTION service.schema_version()
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT service.fingerprint(array_agg(l.line)) AS fingerprint
    FROM ( SELECT (to_jsonb(c.slug))::text AS line
            FROM service.collections c
         UNION ALL
          SELECT ((to_jsonb(p.*) - 'position'::text))::text AS text
            FROM service.properties p
         UNION ALL
          SELECT (to_jsonb(r.*))::text AS to_jsonb
            FROM service.relations r) l;
END;
comment on function service.schema_version() is 'The hash that stands for the collections of the catalog, their properties and relations.';

CREATE OR REPLACE FUNCTION service.scope(path jsonb, alias text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.scope(path jsonb, alias text) is 'SQL text (beginning with and) that holds the rows of a nested path [slug, id, relation, …] to those its parents reach; null for a root path.';

CREATE OR REPLACE FUNCTION service.service_claims()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{"jwt": {"sub": "service", "roles": ["admin"], "is_anonymous": false}, "uid": "service", "roles": "admin", "isAnonymous": false}'::jsonb;
comment on function service.service_claims() is 'The claims of the service key.';

CREATE OR REPLACE FUNCTION service.singular(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (name ~* 'people$'::text) THEN regexp_replace(name, 'people$'::text, 'person'::text, 'i'::text) WHEN (name ~* 'children$'::text) THEN regexp_replace(name, 'ren$'::text, ''::text, 'i'::text) WHEN (name ~* '(series|species|news)$'::text) THEN name WHEN (name ~* '[^aeiou]ies$'::text) THEN regexp_replace(name, 'ies$'::text, 'y'::text, 'i'::text) WHEN (name ~* '(ss|sh|ch|x|z)es$'::text) THEN regexp_replace(name, 'es$'::text, ''::text, 'i'::text) WHEN (name ~* '(ss|us|is)$'::text) THEN name WHEN (name ~* 's$'::text) THEN regexp_replace(name, 's$'::text, ''::text, 'i'::text) ELSE name END;
comment on function service.singular(name text) is 'The singular of an English plural: categories is category, addresses is address, status stays.';

CREATE OR REPLACE FUNCTION service.sort_property(collection text, field text, roles text[])
 RETURNS service.properties
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.sort_property(collection text, field text, roles text[]) is 'The property that a sort key names: a column, or the foreign key of a belongsTo. GW400 UNKNOWN_ORDER_BY_FIELD, ORDER_BY_FIELD_NOT_SORTABLE (to-many relations, and types without an order), FIELD_NOT_READABLE.';

CREATE OR REPLACE FUNCTION service.sql_type(type oid)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE service.base_type(type) WHEN 'character'::regtype THEN 'bpchar'::text WHEN 'character[]'::regtype THEN 'bpchar[]'::text WHEN 'bit'::regtype THEN '"bit"'::text WHEN 'bit[]'::regtype THEN '"bit"[]'::text ELSE format_type(service.base_type(type), NULL::integer) END;
comment on function service.sql_type(type oid) is 'The name to cast a value to, so that it has a column''s type: schema-qualified, without length, a domain''s base type.';

CREATE OR REPLACE FUNCTION service.statement_count(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT format('select r.body from (select service.enter($1) as ok offset 0) ctx cross join lateral (select concat(''{"count":'', count(*), ''}'') as body from %I.%I t where ctx.ok%s%s) r'::text, c.schema_name, c.table_name, COALESCE(service.scope((statement_count.shape -> 'path'::text), 't'::text), ''::text), COALESCE(service.predicate(statement_count.collection, 't'::text, statement_count.shape, statement_count.roles), ''::text)) AS format
    FROM service.collections c
   WHERE (c.slug = statement_count.collection);
END;
comment on function service.statement_count(collection text, shape jsonb, roles text[]) is 'The statement of a count: body = {"count":128}.';

CREATE OR REPLACE FUNCTION service.statement_get(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.statement_get(collection text, shape jsonb, roles text[]) is 'The statement of a single row: body is the row as a JSON object; no row when it does not exist, is hidden by row security, lies outside its parents, or does not match the filters.';

CREATE OR REPLACE FUNCTION service.statement_list(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  scope text := service.scope(shape -> 'path', 't');
  rest record := service.include(collection, 'page', shape, roles);
  row_columns text := service.row_columns(collection, 't', shape, roles) || rest.columns;
  row_number text := quote_ident(service.unused_name(collection, 'n'));
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
end $function$;
comment on function service.statement_list(collection text, shape jsonb, roles text[]) is 'The statement of a list: one row, one column body = {"data":[…],"meta":{total, limit, offset, hasMore, nextCursor}}.';

CREATE OR REPLACE FUNCTION service.stored_value(value jsonb, type text, sql_type text, attributes jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (value = 'null'::jsonb) THEN value WHEN (sql_type = 'bytea'::text) THEN to_jsonb(('\x'::text || encode(decode((value #>> '{}'::text[]), 'base64'::text), 'hex'::text))) WHEN (sql_type = 'timestamp without time zone'::text) THEN to_jsonb(((((value #>> '{}'::text[]))::timestamp with time zone AT TIME ZONE 'UTC'::text))::text) WHEN ((type = 'string'::text) AND (jsonb_typeof(value) = 'string'::text)) THEN to_jsonb(service.normalized_text((value #>> '{}'::text[]), (attributes -> 'validation'::text))) ELSE value END;
comment on function service.stored_value(value jsonb, type text, sql_type text, attributes jsonb) is 'A sent value as it is stored: base64 decoded for bytea, UTC for timestamps without a zone, trim, lowercase and uppercase applied.';

CREATE OR REPLACE FUNCTION service.total(collection text, shape jsonb, scope text, roles text[], page_size text, page_offset text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  counted text := (
    select format('(select count(*) from (select from %I.%I t where ctx.ok%s%s%s) c)', c.schema_name, c.table_name, coalesce(scope, ''),
      coalesce(service.predicate(collection, 't', shape, roles), ''), case when shape ->> 'count' = 'estimated' then ' limit 10001' else '' end)
    from service.collections c where c.slug = collection);
begin
  return case when shape ? 'after' then counted
    else format('case when count(*) <= %s and (count(*) > 0 or %s = 0) then %2$s + count(*) else %s end', page_size, page_offset, counted) end;
end $function$;
comment on function service.total(collection text, shape jsonb, scope text, roles text[], page_size text, page_offset text) is 'SQL text of meta.total, for use beside count(*) over the page.';

CREATE OR REPLACE FUNCTION service.type_in_words(type text, sql_type text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE type WHEN 'string'::text THEN CASE sql_type WHEN 'uuid'::text THEN 'a UUID'::text ELSE 'a text'::text END WHEN 'number'::text THEN 'a number'::text WHEN 'boolean'::text THEN 'true or false'::text WHEN 'date'::text THEN 'a date (ISO 8601)'::text WHEN 'array'::text THEN 'an array'::text WHEN 'map'::text THEN 'an object'::text WHEN 'geopoint'::text THEN 'an object with latitude and longitude'::text WHEN 'vector'::text THEN 'an array of numbers'::text WHEN 'binary'::text THEN 'base64 text'::text ELSE ('a '::text || type) END;
comment on function service.type_in_words(type text, sql_type text) is 'A property type as an error message names it.';

CREATE OR REPLACE FUNCTION service.uid()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN NULLIF(current_setting('app.uid'::text, true), ''::text);
comment on function service.uid() is 'The caller''s user id; ''anonymous'' without a sign-in; null outside a request. In a policy write (select service.uid()): once a query, not once a row.';
grant execute on function service.uid() to service_user;

CREATE OR REPLACE FUNCTION service.unreachable_policies()
 RETURNS TABLE(table_name text, policy text, roles text)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT ((p.polrelid)::regclass)::text AS polrelid,
     (p.polname)::text AS polname,
     ( SELECT string_agg((r.rolname)::text, ', '::text ORDER BY ((r.rolname)::text)) AS string_agg
            FROM pg_roles r
           WHERE (r.oid = ANY (p.polroles))) AS string_agg
    FROM (((pg_policy p
      JOIN pg_class c ON ((c.oid = p.polrelid)))
      JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
      JOIN service.collections s ON (((s.schema_name = n.nspname) AND (s.table_name = c.relname))))
   WHERE (NOT (p.polroles && ARRAY[(0)::oid, ( SELECT r.oid
            FROM pg_roles r
           WHERE (r.rolname = 'service_user'::name))]))
   ORDER BY ((p.polrelid)::regclass)::text, ((p.polname)::text);
END;
comment on function service.unreachable_policies() is 'Policies of served tables that can never apply to a request, because they are for roles other than public and service_user.';

CREATE OR REPLACE FUNCTION service.unused_name(collection text, stem text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT (repeat('~'::text, n.n) || unused_name.stem)
    FROM service.collections c,
     generate_series(1, 50) n(n)
   WHERE ((c.slug = unused_name.collection) AND (NOT (EXISTS ( SELECT
            FROM pg_attribute a
           WHERE ((a.attrelid = (to_regclass(format('%I.%I'::text, c.schema_name, c.table_name)))::oid) AND (a.attname = (repeat('~'::text, n.n) || unused_name.stem)))))))
   ORDER BY n.n
  LIMIT 1;
END;
comment on function service.unused_name(collection text, stem text) is 'A name for a column of ours that the collection''s table has not: ~stem, or with more tildes.';

CREATE OR REPLACE FUNCTION service.update_statement(served service.collections, payload jsonb, key text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT format('update %1$I.%2$I t set %3$s from jsonb_populate_record(null::%1$I.%2$I, $1) r where %4$s'::text, (served).schema_name, (served).table_name, COALESCE(( SELECT string_agg(format('%1$I = r.%1$I'::text, k.k), ', '::text ORDER BY k.k) AS string_agg
            FROM jsonb_object_keys(update_statement.payload) k(k)), ( SELECT format('%1$I = t.%1$I'::text, p.column_name) AS format
            FROM service.properties p
           WHERE ((p.collection = (update_statement.served).slug) AND (NOT p.generated))
           ORDER BY p."position"
          LIMIT 1)), key) AS format;
END;
comment on function service.update_statement(served collections, payload jsonb, key text) is 'SQL text that writes the columns of a payload ($1) into the row with an id ($2).';

CREATE OR REPLACE FUNCTION service.user_stamps(served service.collections, op text, uid text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT COALESCE(jsonb_object_agg(p.column_name, NULLIF(user_stamps.uid, 'anonymous'::text)), '{}'::jsonb) AS "coalesce"
    FROM service.properties p
   WHERE ((p.collection = (user_stamps.served).slug) AND ((p.attributes ->> 'autoValue'::text) = ANY (
         CASE user_stamps.op
             WHEN 'create'::text THEN ARRAY['user_on_create'::text, 'user_on_update'::text]
             ELSE ARRAY['user_on_update'::text]
         END)));
END;
comment on function service.user_stamps(served collections, op text, uid text) is 'The columns that carry who wrote a row, by column; null for a visitor without a sign-in.';

CREATE OR REPLACE FUNCTION service.valid_fields(collection text, roles text[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(p.name ORDER BY p."position"), '[]'::jsonb) AS "coalesce"
    FROM service.properties p
   WHERE ((p.collection = valid_fields.collection) AND (NOT p.excluded) AND service.readable(p.*, valid_fields.roles));
END;
comment on function service.valid_fields(collection text, roles text[]) is 'The field names that an error message may offer to holders of these roles, as a JSON array in the order of the columns.';

CREATE OR REPLACE FUNCTION service.valid_relations(collection text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(r.name ORDER BY r.name), '[]'::jsonb) AS "coalesce"
    FROM service.relations r
   WHERE (r.collection = valid_relations.collection);
END;
comment on function service.valid_relations(collection text) is 'The relation names of a collection, as a JSON array for error details.';

CREATE OR REPLACE FUNCTION service.value(parameter integer, sql_type text, list boolean DEFAULT false)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN format(CASE sql_type WHEN 'timestamp without time zone'::text THEN '$%s::timestamptz%s::timestamp%2$s'::text ELSE (('$%s::'::text || replace(sql_type, '%'::text, '%%'::text)) || '%s'::text) END, parameter, CASE WHEN list THEN '[]'::text ELSE ''::text END);
comment on function service.value(parameter integer, sql_type text, list boolean) is 'SQL text of a parameter cast to a column''s type (its array type for a list): $2::integer, $3::text[].';

CREATE OR REPLACE FUNCTION service.view_key(view oid)
 RETURNS smallint[]
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH said AS (
          SELECT array_agg(a.attnum ORDER BY k.n) AS key
            FROM (regexp_split_to_table("substring"(obj_description(view_key.view, 'pg_class'::name), '@key ([^\n]+)'::text), '\s*,\s*'::text) WITH ORDINALITY k(name, n)
              JOIN pg_attribute a ON (((a.attrelid = view_key.view) AND (a.attname = TRIM(BOTH FROM k.name)) AND (a.attnum > 0) AND (NOT a.attisdropped))))
         ), exposed AS (
          SELECT p.conrelid,
             array_agg(v.attnum ORDER BY k.n) AS key,
             (count(*) = cardinality(p.conkey)) AS whole
            FROM (((((pg_rewrite r
              JOIN pg_depend d ON (((d.classid = ('pg_rewrite'::regclass)::oid) AND (d.objid = r.oid) AND (d.refclassid = ('pg_class'::regclass)::oid) AND (d.refobjsubid > 0))))
              JOIN pg_constraint p ON (((p.conrelid = d.refobjid) AND (p.contype = 'p'::"char"))))
              JOIN LATERAL unnest(p.conkey) WITH ORDINALITY k(attnum, n) ON ((k.attnum = d.refobjsubid)))
              JOIN pg_attribute b ON (((b.attrelid = p.conrelid) AND (b.attnum = k.attnum))))
              JOIN pg_attribute v ON (((v.attrelid = r.ev_class) AND (v.attname = b.attname) AND (v.attnum > 0) AND (NOT v.attisdropped))))
           WHERE ((r.ev_class = view_key.view) AND (d.refobjid <> view_key.view))
           GROUP BY p.conrelid, p.conkey
         )
  SELECT COALESCE(( SELECT s.key
            FROM said s), ( SELECT min(e.key) AS min
            FROM exposed e
           WHERE e.whole
          HAVING (count(*) = 1))) AS "coalesce"
   WHERE (EXISTS ( SELECT
            FROM pg_class c
           WHERE ((c.oid = view_key.view) AND (c.relkind = 'v'::"char"))));
END;
comment on function service.view_key(view oid) is 'The key columns of a view as attribute numbers; null when they are not known, and for what is no view.';

CREATE OR REPLACE FUNCTION service.violations(field text, value jsonb, type text, sql_type text, attributes jsonb)
 RETURNS TABLE(field_path text, code text, message text)
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.violations(field text, value jsonb, type text, sql_type text, attributes jsonb) is 'The rules of its property that a sent value breaks, elements of arrays and parts of maps included, by path (tags[2], address.zip): code type, enum, or that of service.broken_rules.';

CREATE OR REPLACE FUNCTION service.watch_ddl()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.watch_ddl() is 'Sets up the event triggers that announce DDL. False where the owner may not create event triggers: call service.reload() after DDL then.';

CREATE OR REPLACE FUNCTION service.with_route(op text, path text[], request json)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (concat('{"op":', to_json(op), ',"path":', to_json(path), CASE WHEN ((request)::jsonb = '{}'::jsonb) THEN ''::text ELSE ','::text END, substr(ltrim((request)::text, ' 
	'::text), 2)))::json;
comment on function service.with_route(op text, path text[], request json) is 'A request with its op and path written before its own keys.';

CREATE OR REPLACE FUNCTION service.write(claims text, request jsonb, reply text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.write(claims text, request jsonb, reply text) is 'Creates, updates or deletes one row as the caller with these claims. request: {"op": "create"|"update"|"delete", "path": [slug] or [slug, id], "body": object, "return": "minimal"?, "fields": [names]?}. Returns the row as this caller reads it; null for delete and return=minimal. Errors: GW400 VALIDATION_EXCLUDED_FIELDS, VALIDATION_UNKNOWN_FIELDS, VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE, FIELD_NOT_WRITABLE, KEY_IMMUTABLE, UNKNOWN_RESPONSE_FIELD; GW403 WRITE_DENIED; GW404 NOT_FOUND; and the database''s own, rolled back as a whole.';
grant execute on function service.write(claims text, request jsonb, reply text) to service_user;

CREATE OR REPLACE FUNCTION service.write_plan(request jsonb, roles text[], uid text, wants_reply boolean, OUT statement text, OUT payload jsonb, OUT returns_key boolean, OUT visible text, OUT reply text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
end $function$;
comment on function service.write_plan(request jsonb, roles text[], uid text, wants_reply boolean, OUT statement text, OUT payload jsonb, OUT returns_key boolean, OUT visible text, OUT reply text) is 'A write request checked and turned into SQL: the statement ($1 = payload, $2 = id), the values by column, whether the statement returns the new key, a probe for whether the row is visible ($1 = id), and the read of the reply. Errors as service.write.';
grant execute on function service.write_plan(request jsonb, roles text[], uid text, wants_reply boolean, OUT statement text, OUT payload jsonb, OUT returns_key boolean, OUT visible text, OUT reply text) to service_user;

create event trigger service_ddl on ddl_command_end execute function service.on_ddl();

create event trigger service_drop on sql_drop execute function service.on_ddl();

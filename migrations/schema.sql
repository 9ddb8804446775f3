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
grant usage on type service.provision_step to public;

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

CREATE OR REPLACE FUNCTION service."create"(collection text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service.service_claims())
 RETURNS json
 LANGUAGE sql
RETURN service.change(jsonb_build_object('op', 'create', 'path', jsonb_build_array(collection), 'body', body), claims);
comment on function service."create"(collection text, body jsonb, claims jsonb) is 'The answer of POST /data/<collection> with this body, as JSON: the new row. claims: the caller, by default the service key. Errors as service.write.';

CREATE OR REPLACE FUNCTION service.admin_rules()
 RETURNS TABLE(suffix text, rule jsonb)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 VALUES ('_default_admin_read'::text,'{"roles": ["admin"], "operation": "select"}'::jsonb), ('_default_admin_write'::text,'{"roles": ["admin"], "operations": ["insert", "update", "delete"]}'::jsonb);
END;
comment on function service.admin_rules() is 'The rules that every table of a collection file gets unless disableDefaultPolicies is set, with the ending of their names.';

CREATE OR REPLACE FUNCTION service.aggregate_alias(aggregate jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN concat_ws('_'::text, (aggregate ->> 'fn'::text), (aggregate ->> 'field'::text));
comment on function service.aggregate_alias(aggregate jsonb) is 'The name of an aggregate in its answer: count, count_id, sum_total.';

CREATE OR REPLACE FUNCTION service.aggregate_call(fn text, expression text, property service.properties)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  found record;
begin
  if fn = 'count' then
    return format('count(%s)', expression);
  elsif (fn in ('sum', 'avg') and property.type <> 'number') or (fn in ('min', 'max') and not service.is_sortable(property.sql_type)) then
    return null;
  end if;
  select case n.nspname when 'pg_catalog' then '' else quote_ident(n.nspname) || '.' end as prefix,
    t.type is distinct from service.base_type(to_regtype(property.sql_type)) and a.typtype <> 'p' as is_cast, service.sql_type(t.type) as argument
  into found
  from (select o.type from service.operand_types(property.sql_type) o (type) union select 'text'::regtype where property.sql_type = 'uuid') t
  join pg_catalog.pg_type a on a.oid = t.type and a.oid <> 'record'::regtype
  join pg_catalog.pg_proc p on p.prokind = 'a' and p.proname = fn and p.pronargs = 1 and p.proargtypes[0] = t.type
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.oid in ('pg_catalog'::regnamespace, a.typnamespace)
  order by t.type = service.base_type(to_regtype(property.sql_type)) desc, a.typtype = 'p' desc, a.typispreferred desc, t.type
  limit 1;
  return case
    when found.prefix is null then null
    when fn in ('sum', 'avg') then format('%s%s(%s)::numeric', found.prefix, fn, expression)
    when found.is_cast then format('%s%s(%s::%s)::%s', found.prefix, fn, expression, found.argument, property.sql_type)
    else format('%s%s(%s)', found.prefix, fn, expression)
  end;
end $function$;
comment on function service.aggregate_call(fn text, expression text, property properties) is 'SQL text of an aggregate (count, sum, avg, min, max) of a column''s values: bigint for count, numeric for sum and avg, the column''s type for min and max. Null when it does not apply to the type.';

CREATE OR REPLACE FUNCTION service.aggregate_columns(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  aggregate jsonb;
  value record;
  columns text[] := '{}';
begin
  for aggregate in select * from jsonb_array_elements(shape -> 'select') loop
    value := service.aggregate_value(collection, aggregate, roles);
    columns := columns || format(case aggregate ->> 'fn' when 'avg' then 'trim_scale(%s) as %I' else '%s as %I' end,
      service.column_value(value.expression, value.sql_type), service.aggregate_alias(aggregate));
  end loop;
  return array_to_string(columns, ', ');
end $function$;
comment on function service.aggregate_columns(collection text, shape jsonb, roles text[]) is 'SQL text of the aggregates of a request under their names. GW400 as service.aggregate_value.';

CREATE OR REPLACE FUNCTION service.aggregate_order(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  key jsonb;
  sorted text;
  names text[];
  expressions text[];
  terms text[] := '{}';
begin
  select array_agg(v.name order by v.step, v.n), array_agg(v.expression order by v.step, v.n) into names, expressions
  from (
    select 1 as step, g.n, p.name, format('t.%I', p.column_name) as expression
    from jsonb_array_elements_text(shape -> 'groupBy') with ordinality g (field, n), service.find_property(collection, g.field) p
    union all
    select 2, a.n, service.aggregate_alias(a.value), (service.aggregate_value(collection, a.value, roles)).expression
    from jsonb_array_elements(shape -> 'select') with ordinality a (value, n)) v;
  for key in select * from jsonb_array_elements(shape -> 'orderBy') loop
    -- A group answers to its column's own name here, as it does in groupBy.
    sorted := expressions[coalesce(array_position(names, key ->> 'field'), array_position(names, (service.find_property(collection, key ->> 'field')).name))];
    if sorted is null then
      perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('An aggregate is sorted by what it returns: %s.', array_to_string(names, ', ')),
        jsonb_build_object('field', key ->> 'field', 'collection', collection, 'validFields', names));
    end if;
    terms := terms || format('%s %s%s', sorted, key ->> 'direction', coalesce(' nulls ' || (key ->> 'nulls'), ''));
  end loop;
  return array_to_string(terms || expressions[:jsonb_array_length(shape -> 'groupBy')], ', ');
end $function$;
comment on function service.aggregate_order(collection text, shape jsonb, roles text[]) is 'SQL text after ORDER BY of a grouped aggregate: its keys among the group fields and aggregate names, then the groups ascending. GW400 UNKNOWN_ORDER_BY_FIELD.';

CREATE OR REPLACE FUNCTION service.aggregate_property(collection text, field text, roles text[])
 RETURNS service.properties
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.aggregate_property(collection text, field text, roles text[]) is 'The property that an aggregate or a group names. GW400 UNKNOWN_AGGREGATE_FIELD {field, collection, validFields}, FIELD_NOT_READABLE.';

CREATE OR REPLACE FUNCTION service.aggregate_value(collection text, aggregate jsonb, roles text[], OUT expression text, OUT sql_type text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  fn text := aggregate ->> 'fn';
  property service.properties;
begin
  if aggregate ? 'field' then
    property := service.aggregate_property(collection, aggregate ->> 'field', roles);
    expression := service.aggregate_call(fn, format('t.%I', property.column_name), property);
    if expression is null then
      perform service.fail(400, 'INVALID_AGGREGATE_SELECT', format('%s does not apply to %s, which is of type %s.', fn, property.name, property.type),
        jsonb_build_object('field', property.name, 'collection', collection, 'function', fn, 'type', property.type, 'sqlType', property.sql_type));
    end if;
  else
    expression := 'count(*)';
  end if;
  sql_type := case when fn = 'count' then 'bigint' when fn in ('sum', 'avg') then 'numeric' else property.sql_type end;
end $function$;
comment on function service.aggregate_value(collection text, aggregate jsonb, roles text[], OUT expression text, OUT sql_type text) is 'SQL text and type of one aggregate {fn, field} of rows t. GW400 UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE, INVALID_AGGREGATE_SELECT {field, collection, function, type, sqlType} (a function that does not apply to the field''s type).';

CREATE OR REPLACE FUNCTION service.array_value(expression text, sql_type text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (i.item = ANY (ARRAY['e'::text, 'e::text'::text])) THEN array_value.expression
             ELSE format('case when array_ndims(%1$s) > 1 then to_json(%1$s) when %1$s is not null then to_json(array(select %2$s from unnest(%1$s) with ordinality u (e, n) order by n)) end'::text, array_value.expression, i.item)
         END AS format
    FROM ( SELECT service.scalar_value('e'::text, COALESCE(( SELECT service.sql_type(t.typelem) AS sql_type
                    FROM pg_type t
                   WHERE ((t.oid = (to_regtype(array_value.sql_type))::oid) AND (t.typcategory = 'A'::"char"))), rtrim(array_value.sql_type, '[]'::text))) AS scalar_value) i(item);
END;
comment on function service.array_value(expression text, sql_type text) is 'SQL text of an array column as it stands in JSON.';

CREATE OR REPLACE FUNCTION service.base64url(bytes bytea)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN translate(encode(bytes, 'base64'::text), ('+/='::text || chr(10)), '-_'::text);
comment on function service.base64url(bytes bytea) is 'RFC 4648 base64url without padding.';

CREATE OR REPLACE FUNCTION service.base_type(type oid)
 RETURNS oid
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  base oid;
begin
  loop
    base := (select t.typbasetype from pg_catalog.pg_type t where t.oid = base_type.type);
    if base is null or base = 0 then
      return case base when 0 then base_type.type end;
    end if;
    base_type.type := base;
  end loop;
end $function$;
comment on function service.base_type(type oid) is 'The type under a domain, or the type itself; null when there is no such type.';

CREATE OR REPLACE FUNCTION service.body_violations(body jsonb, plan jsonb, doubtful jsonb, uid text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT jsonb_agg(jsonb_build_object('field', v.field, 'code', v.code, 'message', v.message) ORDER BY v.field, v.code) AS jsonb_agg
    FROM ( SELECT j.field_path,
             j.code,
             j.message
            FROM (jsonb_to_recordset(body_violations.doubtful) f(field text, type text, "sqlType" text, rules jsonb, "maxLength" integer, unwraps text)
              CROSS JOIN LATERAL service.violations(f.field, service.unwrapped((body_violations.body -> f.field), f.unwraps), f.type, f."sqlType", (COALESCE(f.rules, '{}'::jsonb) || jsonb_strip_nulls(jsonb_build_object('maxLength', f."maxLength")))) j(field_path, code, message))
           WHERE (f.type IS NOT NULL)
         UNION ALL
          SELECT f.field,
             'required'::text,
             f.required
            FROM jsonb_to_recordset(body_violations.doubtful) f(field text, required text, stamp boolean)
           WHERE ((f.required IS NOT NULL) AND
                 CASE
                     WHEN f.stamp THEN (body_violations.uid = 'anonymous'::text)
                     ELSE ((body_violations.body -> f.field) = 'null'::jsonb)
                 END)
         UNION ALL
          SELECT m.field,
             m.code,
             m.message
            FROM jsonb_to_recordset((body_violations.plan -> 'missing'::text)) m(field text, code text, message text)
         UNION ALL
          SELECT t.field,
             'conflict'::text,
             t.message
            FROM service.disagreeing_fields(body_violations.body, body_violations.plan) t(field, message)) v(field, code, message);
END;
comment on function service.body_violations(body jsonb, plan jsonb, doubtful jsonb, uid text) is 'Every rule that a body breaks by the plan of its write, in its doubtful fields (service.doubtful_fields) and by what it leaves out: [{field, code, message}]: those of service.violations, required (also for a stamp of the caller when nobody is signed in), conflict; null when it breaks none.';

CREATE OR REPLACE FUNCTION service.broken_lines(statement text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT string_agg(
         CASE
             WHEN ((p.n % (2)::bigint) = 1) THEN regexp_replace(p.part, ' (?=(from|cross join|left join|join|where|and|or|order by|group by|limit|offset|union all)\M)|(?<=[(,] ?)(?=select\M)'::text, '
'::text, 'g'::text)
             ELSE p.part
         END, ''''::text ORDER BY p.n) AS string_agg
    FROM regexp_split_to_table(broken_lines.statement, ''''::text) WITH ORDINALITY p(part, n);
END;
comment on function service.broken_lines(statement text) is 'A statement in lines that a reader can follow, the same SQL.';

CREATE OR REPLACE FUNCTION service.broken_rules(field text, value jsonb, type text, text text, rules jsonb)
 RETURNS TABLE(code text, message text)
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.broken_rules(field text, value jsonb, type text, text text, rules jsonb) is 'The declared rules of a property that one value breaks, with the code and the message of each: length, min_length, max_length, pattern, email, url, integer, positive, negative, min, max, more_than, less_than, date_min, date_max, min_items, max_items, unique_items; type for a vector of another length.';

CREATE OR REPLACE FUNCTION service.callback_body(collection text, key text[], names text[], hook text, function_name text, soft_delete text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 WITH part AS (
          SELECT
                 CASE
                     WHEN (callback_body.soft_delete IS NOT NULL) THEN format('tg_op = ''UPDATE'' and old.%1$I is null and new.%1$I is not null'::text, callback_body.soft_delete)
                     ELSE NULL::text
                 END AS stamped,
                 CASE
                     WHEN (callback_body.hook ~~ 'before%'::text) THEN 'new'::text
                     ELSE 'null'::text
                 END AS nothing,
                 CASE callback_body.hook
                     WHEN 'beforeSave'::text THEN format('returned := %s(tg_op, stored, sent);'::text, callback_body.function_name)
                     WHEN 'afterSave'::text THEN format('perform %s(tg_op, stored, sent);'::text, callback_body.function_name)
                     WHEN 'beforeDelete'::text THEN format('allowed := %s(to_jsonb(old));'::text, callback_body.function_name)
                     WHEN 'afterDelete'::text THEN format('perform %s(to_jsonb(old));'::text, callback_body.function_name)
                     ELSE NULL::text
                 END AS call
         )
  SELECT concat_ws('
'::text, '',
         CASE
             WHEN (callback_body.hook ~~ '%Save'::text) THEN 'declare
  stored jsonb := case tg_op when ''UPDATE'' then to_jsonb(old) end;
  sent jsonb := to_jsonb(new);'::text
             ELSE NULL::text
         END,
         CASE callback_body.hook
             WHEN 'beforeSave'::text THEN '  returned jsonb;'::text
             WHEN 'beforeDelete'::text THEN 'declare
  allowed boolean;'::text
             ELSE NULL::text
         END, 'begin',
         CASE
             WHEN ((callback_body.hook ~~ '%Save'::text) AND (p.stamped IS NOT NULL)) THEN format('  if %s then
    return %s;
  end if;'::text, p.stamped, p.nothing)
             WHEN ((callback_body.hook ~~ '%Delete'::text) AND (p.stamped IS NOT NULL)) THEN format('  if tg_op = ''UPDATE'' and not (%s) then
    return %s;
  end if;'::text, p.stamped, p.nothing)
             ELSE NULL::text
         END, '  if pg_trigger_depth() > 16 then
    perform service.refuse_recursion();
  end if;', format('  begin
    %s
  exception when raise_exception then
    perform service.reject_callback(%L, %L, 400, sqlerrm);
  end;'::text, p.call, callback_body.collection, callback_body.hook),
         CASE callback_body.hook
             WHEN 'beforeSave'::text THEN format('  if returned is null then
    return new;
  end if;
  return jsonb_populate_record(new, service.returned_columns(%L, %L, %L, stored, sent, returned));'::text, callback_body.collection, callback_body.key, callback_body.names)
             WHEN 'beforeDelete'::text THEN format('  if allowed is false then
    perform service.reject_callback(%L, %L, 403, ''The row may not be deleted.'');
  end if;
  return %s;'::text, callback_body.collection, callback_body.hook,
             CASE
                 WHEN (p.stamped IS NULL) THEN 'old'::text
                 ELSE 'case tg_op when ''UPDATE'' then new else old end'::text
             END)
             ELSE '  return null;'::text
         END, 'end ') AS concat_ws
    FROM part p;
END;
comment on function service.callback_body(collection text, key text[], names text[], hook text, function_name text, soft_delete text) is 'The PL/pgSQL of the trigger function that calls one callback of a collection.';

CREATE OR REPLACE FUNCTION service.callbacks()
 RETURNS TABLE(schema_name text, table_name text, relation oid, collection text, key text[], names text[], soft_delete text, hook text, suffix text, trigger_name text, events integer, function_schema text, function_name text, arguments text, result text, oid oid, fits boolean)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH named AS (
          SELECT t.schema_name,
             t.table_name,
             t.oid,
             t.collection,
             t.key,
             s_1.key AS names,
             t.soft_delete,
             h.hook,
             h.suffix,
             h.trigger_name,
             h.events,
             h.arguments,
             h.result,
                 CASE
                     WHEN (c.value ~ '^("([^"]|"")+"|[^\s".();]+)(\.("([^"]|"")+"|[^\s".();]+))?$'::text) THEN parse_ident(c.value)
                     ELSE ARRAY[c.value]
                 END AS parts
            FROM (((service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
              JOIN service.collections s_1 ON ((s_1.slug = t.collection)))
              CROSS JOIN LATERAL jsonb_each_text(s_1.callbacks) c(key, value))
              JOIN service.hooks() h(hook, suffix, trigger_name, events, arguments, result) ON ((h.hook = c.key)))
         )
  SELECT n.schema_name,
     n.table_name,
     n.oid,
     n.collection,
     n.key,
     n.names,
     n.soft_delete,
     n.hook,
     n.suffix,
     n.trigger_name,
     n.events,
     f.schema_name,
     f.function_name,
     n.arguments,
     n.result,
     p.oid,
     ((p.oid IS NOT NULL) AND (format_type(p.prorettype, NULL::integer) = n.result) AND (NOT p.proretset))
    FROM (((named n
      CROSS JOIN LATERAL ( SELECT
                 CASE cardinality(n.parts)
                     WHEN 2 THEN n.parts[1]
                     ELSE 'public'::text
                 END AS schema_name,
             n.parts[cardinality(n.parts)] AS function_name) f)
      LEFT JOIN pg_namespace s ON ((s.nspname = f.schema_name)))
      LEFT JOIN pg_proc p ON (((p.pronamespace = s.oid) AND (p.proname = f.function_name) AND (p.prokind = 'f'::"char") AND (oidvectortypes(p.proargtypes) =
         CASE n.hook
             WHEN 'afterRead'::text THEN 'json'::text
             WHEN 'beforeSave'::text THEN 'text, jsonb, jsonb'::text
             WHEN 'afterSave'::text THEN 'text, jsonb, jsonb'::text
             ELSE 'jsonb'::text
         END))));
END;
comment on function service.callbacks() is 'The callbacks of the collections and the functions behind them. A name without a schema is in public. key: the key''s columns, names: their properties. oid is null when there is no function with these arguments; fits says that it returns what it should.';

CREATE OR REPLACE FUNCTION service.camel_case(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (min(plain.plain) ~~ '\_%'::text) THEN min(plain.plain)
             ELSE string_agg(
             CASE s.n
                 WHEN 1 THEN s.part
                 ELSE (upper("left"(s.part, 1)) || substr(s.part, 2))
             END, ''::text ORDER BY s.n)
         END AS string_agg
    FROM replace(camel_case.name, '->'::text, '_'::text) plain(plain),
     LATERAL regexp_split_to_table(plain.plain, '_'::text) WITH ORDINALITY s(part, n);
END;
comment on function service.camel_case(name text) is 'The wire name of a column: user_id is userId, photoURL stays, a->b is aB.';

CREATE OR REPLACE FUNCTION service.catalog_document()
 RETURNS json
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT json_build_object('version', ( SELECT c.version
            FROM service.catalog c), 'schemaVersion', ( SELECT c.schema_version
            FROM service.catalog c), 'restrictingRoles', COALESCE(( SELECT json_agg(DISTINCT r.r) AS json_agg
            FROM service.properties p,
             LATERAL unnest((p.read_roles || p.write_roles)) r(r)), '[]'::json), 'collections', COALESCE(( SELECT json_agg(json_build_object('slug', c.slug, 'name', c.name, 'singularName', c.singular_name, 'description', c.description, 'key', c.key, 'readOnly', c.read_only, 'readers', service.reading_roles(c.source, c.definition), 'schema', c.schema_name, 'table', c.table_name, 'search',
                 CASE
                     WHEN (jsonb_typeof((c.definition -> 'search'::text)) = 'object'::text) THEN json_build_object('fields', jsonb_path_query_array(c.definition, '$."search"."fields"[*]."path"'::jsonpath), 'hybrid', ((c.definition #>> '{search,mode}'::text[]) = 'hybrid'::text), 'fuzzy', (c.definition #> '{search,fuzzy}'::text[]))
                     ELSE NULL::json
                 END, 'properties', ( SELECT COALESCE(json_agg(json_build_object('name', p.name, 'type', p.type, 'sqlType', p.sql_type, 'nullable', (NOT p.not_null), 'required', p.required, 'generated', p.generated, 'readRoles', p.read_roles, 'writeRoles', p.write_roles, 'attributes', p.attributes) ORDER BY p."position"), '[]'::json) AS "coalesce"
                    FROM service.properties p
                   WHERE ((p.collection = c.slug) AND (NOT p.excluded))), 'relations', ( SELECT COALESCE(json_agg(json_build_object('name', r.name, 'kind', r.kind, 'target', r.target, 'pivot', ( SELECT json_agg((a.p ->> 'name'::text) ORDER BY a.n) AS json_agg
                            FROM jsonb_array_elements(
                                 CASE jsonb_typeof(r.pivot)
                                     WHEN 'array'::text THEN r.pivot
                                     ELSE NULL::jsonb
                                 END) WITH ORDINALITY a(p, n))) ORDER BY r.name), '[]'::json) AS "coalesce"
                    FROM (service.relations r
                      JOIN service.collections t ON (((t.slug = r.target) AND t.exposed)))
                   WHERE ((r.collection = c.slug) AND (NOT (EXISTS ( SELECT
                            FROM service.properties p
                           WHERE ((p.collection = r.collection) AND (p.column_name = ANY (r.local_columns)) AND p.excluded)))) AND (NOT (EXISTS ( SELECT
                            FROM service.properties p
                           WHERE ((p.collection = r.target) AND (p.column_name = ANY (r.target_columns)) AND p.excluded))))))) ORDER BY c.slug) AS json_agg
            FROM service.collections c
           WHERE c.exposed), '[]'::json)) AS json_build_object;
END;
comment on function service.catalog_document() is 'The served collections as one JSON document: {version, schemaVersion, restrictingRoles, collections: [{slug, name, singularName, description, key, readOnly, readers (service.reading_roles), schema, table, search, properties, relations}]}.';

CREATE OR REPLACE FUNCTION service.catalog_fingerprint(collections service.collections[], properties service.properties[], relations service.relations[])
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT service.fingerprint(array_agg(l.line)) AS fingerprint
    FROM ( SELECT (to_jsonb(c.*))::text AS line
            FROM unnest(catalog_fingerprint.collections) c(slug, source, name, singular_name, description, schema_name, table_name, key, exposed, read_only, strict_writes, callbacks, definition)
         UNION ALL
          SELECT (to_jsonb(p.*))::text AS to_jsonb
            FROM unnest(catalog_fingerprint.properties) p(collection, name, column_name, "position", type, sql_type, not_null, required, generated, excluded, read_roles, write_roles, attributes)
         UNION ALL
          SELECT (to_jsonb(r.*))::text AS to_jsonb
            FROM unnest(catalog_fingerprint.relations) r(collection, name, kind, target, local_columns, target_columns, junction_schema, junction_table, junction_source, junction_target, pivot, on_delete)) l;
END;
comment on function service.catalog_fingerprint(collections collections[], properties properties[], relations relations[]) is 'The service.fingerprint of a catalog: of these rows with every column, in whatever order.';

CREATE OR REPLACE FUNCTION service.change(request jsonb, claims jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO, YMD'
 SET "IntervalStyle" TO 'postgres'
 SET extra_float_digits TO '1'
 SET jit TO 'off'
AS $function$
declare
  before jsonb := service.kept_settings();
  body json;
begin
  perform set_config('role', 'service_user', true);
  body := service.write(claims::text, request);
  perform service.restore_settings(before);
  return body;
end $function$;
comment on function service.change(request jsonb, claims jsonb) is 'Runs a write request of service.write as the caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}): the body the API would send.';

CREATE OR REPLACE FUNCTION service.check_body(request jsonb, plan jsonb, doubtful jsonb, uid text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  violations jsonb;
begin
  perform service.refuse_operations(request);
  violations := service.body_violations(request -> 'body', plan, doubtful, uid);
  if violations is not null then
    perform service.refuse_violations(request -> 'path' ->> 0, violations);
  end if;
  return service.moved_fields(request, plan);
end $function$;
comment on function service.check_body(request jsonb, plan jsonb, doubtful jsonb, uid text) is 'Judges the values of a write by its plan, those of its doubtful fields: GW400 VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE as service.refuse_violations, INVALID_FIELD_OPERATION and GW501 as service.refuse_operations. Returns the names under which an update sends another key than that of its row; null when it does not.';
grant execute on function service.check_body(request jsonb, plan jsonb, doubtful jsonb, uid text) to service_user;

CREATE OR REPLACE FUNCTION service.check_names(collection text, shape jsonb, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  checked jsonb := shape -> 'checked';
  whole jsonb := shape || checked;
begin
  if checked ?| array['fields', 'include'] then
    perform service.row_columns(collection, 't', whole, roles);
    perform service.include(collection, 'page', whole, roles);
  end if;
  if checked ? 'orderBy' then
    perform case when shape ->> 'op' = 'aggregate' then service.aggregate_order(collection, whole, roles) else service.page_order(collection, whole, roles) end;
  end if;
  perform service.vector_property(collection, v.value ->> 'property', roles) from (values (checked -> 'vector')) v (value) where v.value is not null;
  perform service.group_columns(collection, checked, roles, false), service.aggregate_columns(collection, checked, roles);
end $function$;
comment on function service.check_names(collection text, shape jsonb, roles text[]) is 'Nothing, or the refusal of a name in shape.checked ({orderBy, fields, distinct, include, vector, select, groupBy}): GW400 UNKNOWN_ORDER_BY_FIELD, UNKNOWN_FIELD, UNKNOWN_RELATION, UNKNOWN_VECTOR_PROPERTY, UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE and whatever those clauses are refused with where they are used.';

CREATE OR REPLACE FUNCTION service.claimed_roles(claims jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (COALESCE((claims ->> 'uid'::text), ''::text) = ANY (ARRAY[''::text, 'anonymous'::text])) THEN ARRAY['anon'::text] ELSE string_to_array(COALESCE((claims ->> 'roles'::text), ''::text), ','::text) END;
comment on function service.claimed_roles(claims jsonb) is 'The roles that service.enter gives to a caller with these claims.';

CREATE OR REPLACE FUNCTION service.collection_policies()
 RETURNS TABLE(schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH rule AS (
          SELECT t.schema_name,
             t.table_name,
             t.collection,
             t.key,
             t.read_only,
             t.soft_delete,
             t.oid,
             t.table_name AS stem,
             a.suffix,
             a.rule,
             ('the default for '::text || c.slug) AS origin
            FROM ((service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
              JOIN service.collections c ON ((c.slug = t.collection)))
              CROSS JOIN service.admin_rules() a(suffix, rule))
           WHERE (NOT COALESCE(((c.definition ->> 'disableDefaultPolicies'::text))::boolean, false))
         UNION ALL
          SELECT t.schema_name,
             t.table_name,
             t.collection,
             t.key,
             t.read_only,
             t.soft_delete,
             t.oid,
             COALESCE((r.rule ->> 'name'::text), t.table_name) AS "coalesce",
                 CASE
                     WHEN (r.rule ? 'name'::text) THEN ''::text
                     ELSE NULL::text
                 END AS "case",
             r.rule,
             format('%s.securityRules[%s]'::text, c.slug, (r.n - 1)) AS format
            FROM ((service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
              JOIN service.collections c ON ((c.slug = t.collection)))
              CROSS JOIN LATERAL jsonb_array_elements(
                 CASE jsonb_typeof((c.definition -> 'securityRules'::text))
                     WHEN 'array'::text THEN (c.definition -> 'securityRules'::text)
                     ELSE '[]'::jsonb
                 END) WITH ORDINALITY r(rule, n))
         ), wanted AS (
          SELECT r.schema_name,
             r.table_name,
             r.collection,
             r.key,
             r.read_only,
             r.soft_delete,
             r.oid,
             r.stem,
             r.suffix,
             r.rule,
             r.origin,
             o.operation,
             o.several,
             ((r.rule ->> 'mode'::text) IS DISTINCT FROM 'restrictive'::text) AS permissive,
             ARRAY( SELECT jsonb_array_elements_text(
                         CASE jsonb_typeof((r.rule -> 'pgRoles'::text))
                             WHEN 'array'::text THEN (r.rule -> 'pgRoles'::text)
                             ELSE '["public"]'::jsonb
                         END) AS jsonb_array_elements_text) AS roles,
                 CASE
                     WHEN (o.operation <> 'insert'::text) THEN service.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'using'::text)
                     ELSE NULL::text
                 END AS using_clause
            FROM (rule r
              CROSS JOIN LATERAL service.rule_operations(r.rule) o(operation, several))
         )
  SELECT r.schema_name,
     r.table_name,
     r.oid,
     r.stem,
     (r.suffix ||
         CASE
             WHEN r.several THEN ('_'::text || r.operation)
             ELSE ''::text
         END),
     r.permissive,
     r.operation,
     r.roles,
     r.using_clause,
         CASE
             WHEN (r.operation = ANY (ARRAY['insert'::text, 'update'::text, 'all'::text])) THEN service.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'check'::text)
             ELSE NULL::text
         END AS "case",
     r.origin
    FROM wanted r
 UNION ALL
  SELECT r.schema_name,
     r.table_name,
     r.oid,
     r.stem,
     NULL::text,
     r.permissive,
     'update'::text,
     r.roles,
         CASE
             WHEN r.permissive THEN r.using_clause
             ELSE 'true'::text
         END AS "case",
         CASE
             WHEN r.permissive THEN format('%I.%I is not null and (%s)'::text, r.table_name, r.soft_delete, r.using_clause)
             ELSE format('%I.%I is null or (%s)'::text, r.table_name, r.soft_delete, r.using_clause)
         END AS format,
     r.origin
    FROM wanted r
   WHERE ((r.soft_delete IS NOT NULL) AND (r.operation = 'delete'::text))
 UNION ALL
  SELECT r.schema_name,
     r.table_name,
     r.oid,
     r.table_name,
     NULL::text,
     false,
     'update'::text,
     ARRAY['public'::text] AS "array",
     'true'::text,
     format('%I.%I is null or (%s)'::text, r.table_name, r.soft_delete, string_agg(DISTINCT (('('::text || r.using_clause) || ')'::text), ' or '::text)) AS format,
     ('softDelete of '::text || r.collection)
    FROM wanted r
   WHERE ((r.soft_delete IS NOT NULL) AND (r.operation = ANY (ARRAY['delete'::text, 'all'::text])) AND r.permissive)
   GROUP BY r.schema_name, r.table_name, r.oid, r.soft_delete, r.collection;
END;
comment on function service.collection_policies() is 'The policies that the security rules of collection files ask for, and the default ones. suffix is null where the name is made from the meaning.';

CREATE OR REPLACE FUNCTION service.column_clause(name text, type text, default_value text, identity boolean, not_null boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN concat(quote_ident(name), ' ', type, CASE WHEN identity THEN ' generated by default as identity'::text WHEN (default_value IS NOT NULL) THEN ((' default ('::text || default_value) || ')'::text) ELSE NULL::text END, CASE WHEN not_null THEN ' not null'::text ELSE NULL::text END);
comment on function service.column_clause(name text, type text, default_value text, identity boolean, not_null boolean) is 'A column as CREATE TABLE and ADD COLUMN write it.';

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

CREATE OR REPLACE FUNCTION service.column_pairs(left_alias text, left_columns text[], operators text[], right_alias text, right_columns text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT string_agg(format('%s.%I %s %s.%I'::text, column_pairs.left_alias, c.l, c.o, column_pairs.right_alias, c.r), ' and '::text) AS string_agg
    FROM UNNEST(column_pairs.left_columns, column_pairs.operators, column_pairs.right_columns) c(l, o, r);
END;
comment on function service.column_pairs(left_alias text, left_columns text[], operators text[], right_alias text, right_columns text[]) is 'SQL text that equates two lists of columns by these operators (service.equals): x.a = t.b and x.c = t.d.';

CREATE OR REPLACE FUNCTION service.column_type(type oid, modifier integer)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT
         CASE t.typtype
             WHEN 'd'::"char" THEN service.sql_type(t.oid)
             ELSE format_type(t.oid, column_type.modifier)
         END AS format_type
    FROM pg_type t
   WHERE (t.oid = column_type.type);
END;
comment on function service.column_type(type oid, modifier integer) is 'A column''s type with its length, as a value can be cast to it; of a domain the base type.';

CREATE OR REPLACE FUNCTION service.column_value(expression text, sql_type text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (sql_type ~~ '%[]'::text) THEN service.array_value(expression, sql_type) ELSE service.scalar_value(expression, sql_type) END;
comment on function service.column_value(expression text, sql_type text) is 'SQL text of a column as it stands in JSON: service.scalar_value, for arrays item by item.';

CREATE OR REPLACE FUNCTION service.comparison(expression text, property service.properties, condition jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  op record := service.operand(property.name, condition);
  is_json boolean := property.sql_type in ('json', 'jsonb');
  -- A file's map is an object; a JSON column that was there before may hold arrays (service.judged_fields).
  kind text := case when op.operator like 'array-%' and is_json and not property.attributes ? 'column' then 'array' else property.type end;
  symbol text := split_part(op.template, ' ', 2);
  json_array boolean := kind = 'array' and is_json;
  composite boolean := exists (select from pg_catalog.pg_type t where t.oid = to_regtype(property.sql_type) and t.typtype = 'c');
  item_type text := case when kind = 'array' then rtrim(property.sql_type, '[]') else property.sql_type end;
  binary_array boolean := kind = 'array' and item_type = 'bytea';
begin
  -- JSON numbers compare as numbers: 2.0 is 2, and 1.5 is more than 1. Whole ones keep the column's type, and so its index.
  if condition ->> 2 = 'decimal' and item_type in ('smallint', 'integer', 'bigint') then
    expression := expression || case kind when 'array' then '::numeric[]' else '' end;
    item_type := 'numeric';
  end if;
  if kind in ('vector', 'geopoint') then
    perform service.fail(400, 'INVALID_FILTER_FIELD', format('Field %s of %s cannot be filtered.', property.name, property.collection),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'type', kind));
  end if;
  if not kind = any (op.families)
    or (op.takes = 'text' and not service.takes_patterns(property.collection, property.column_name))
    or (op.takes in ('scalar', 'list') and not json_array and not service.has_operator(item_type,
      case when kind = 'array' then '=' else symbol end)) then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to %s, which is of type %s.', op.operator, property.name, kind),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator, 'type', kind));
  end if;
  return case
    when json_array and op.takes <> 'nothing' then
      -- json_array_elements_text refuses what is no array, and finds nothing in NULL.
      format('exists (select from %3$s_array_elements_text(case %3$s_typeof(%1$s) when ''array'' then %1$s end) e where e = %2$s)', expression,
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end, property.sql_type)
    -- Bytes are compared as they are shown, in base64.
    when binary_array and op.takes <> 'nothing' then
      format('exists (select from unnest(%s) e where %s = %s)', expression, service.scalar_value('e', 'bytea'),
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end)
    -- IS NOT NULL would ask whether each field of the composite is.
    when op.takes = 'nothing' and composite then
      format('%s is %s distinct from null', expression, case op.operator when 'is-null' then 'not' else '' end)
    when op.takes = 'text' then
      format(op.template, case when property.sql_type in ('text', 'character varying') then expression else expression || '::text' end, format('$%s::text', op.parameter))
    when kind <> 'array' and op.takes in ('scalar', 'list') then
      format(replace(op.template, format(' %s ', symbol), format(' %s ', replace(service.operator_name(item_type, symbol), '%', '%%'))), expression, service.value(op.parameter, item_type, op.list))
    else
      format(op.template, expression, service.value(op.parameter, item_type, op.list))
  end;
end $function$;
comment on function service.comparison(expression text, property properties, condition jsonb) is 'SQL text of one condition [operator, parameter] on a column expression. GW400 as service.operand, INVALID_FILTER_FIELD (a type that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';

CREATE OR REPLACE FUNCTION service.compile(shape jsonb, roles text[], OUT statement text, OUT lane text, OUT enter_first boolean, OUT revalidates boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
end $function$;
comment on function service.compile(shape jsonb, roles text[], OUT statement text, OUT lane text, OUT enter_first boolean, OUT revalidates boolean) is 'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include, search, vector, select, groupBy …; checked: clauses of which only the names are checked}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before, the statement does not (partitioned tables whose policies call identity functions bare; counts and aggregates of so many rows that several processes are worth the round trips). revalidates: the answer depends on nothing but the row, so while its tag stands the answer stands (no related rows, no afterRead). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 FEATURE_DISABLED for a vector property on a server without pgvector.';

CREATE OR REPLACE FUNCTION service.composite_membership(relation service.relations, alias text, condition jsonb, positive text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  target_alias text := alias || 'x';
  op record;
  -- The columns of the key, and for a belongsTo whose foreign key holds them all, where it holds them.
  key text[] := (
    select array_agg(p.column_name order by k.n)
    from service.collections c, unnest(c.key) with ordinality k (name, n) join service.properties p on p.name = k.name
    where c.slug = relation.target and p.collection = relation.target);
  local_key text[] := array(select relation.local_columns[array_position(relation.target_columns, k.name)] from unnest(key) with ordinality k (name, n) order by k.n);
  is_local boolean := relation.kind = 'belongsTo' and array_position(local_key, null) is null;
  id text := (
    select format('''['' || %s || '']''', string_agg(format('to_json((%s)::text)::text', service.column_value(format('%s.%I', case when is_local then alias else target_alias end, k.name),
      (service.find_column(case when is_local then relation.collection else relation.target end, k.name)).sql_type)), ' || '','' || ' order by k.n))
    from unnest(case when is_local then local_key else key end) with ordinality k (name, n));
begin
  -- A foreign key that is NULL is unequal to nothing; related rows that are not there are unequal to all.
  op := service.operand(relation.name, case when is_local and condition ->> 0 in ('!=', 'not-in') then condition else jsonb_set(condition, '{0}', to_jsonb(positive)) end);
  id := format(op.template, '(' || id || ')', case when op.list then format('array(select to_json(service.id_parts(i))::text from unnest($%s::text[]) i)', op.parameter) else format('to_json(service.id_parts($%s::text))::text', op.parameter) end);
  return case when is_local then id
    else format('%s (select from %s and %s)', case when condition ->> 0 in ('!=', 'not-in') then 'not exists' else 'exists' end,
      service.relation_from(relation, alias, target_alias), id) end;
end $function$;
comment on function service.composite_membership(relation relations, alias text, condition jsonb, positive text) is 'SQL text of a condition on a relation whose target has a composite key, its ids written as in a path (service.id_parts). positive: the operator that a negative one denies, or the operator itself.';

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
  perform service.fail(400, 'UNKNOWN_FILTER_FIELD', format('%s has no field %s.', collection, split_part(field, '->', 1)),
    jsonb_build_object('field', split_part(field, '->', 1), 'collection', collection, 'validFields', service.valid_fields(collection, roles)));
end $function$;
comment on function service.condition(collection text, alias text, field text, condition jsonb, roles text[]) is 'SQL text of one condition on one field of a collection. GW400 UNKNOWN_FILTER_FIELD {field, collection, validFields}, FIELD_NOT_READABLE, and what comparison, membership and related_condition refuse.';

CREATE OR REPLACE FUNCTION service.constraint_violations(request jsonb, problem jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
end $function$;
comment on function service.constraint_violations(request jsonb, problem jsonb) is 'Which fields of a write the database refused, [{field, code, message}] under the names that were sent; null when that is not known. problem: {code (SQLSTATE), schema, table, column, constraint, type} of the error. Codes: unique, exclusion, foreign_key, required, check, max_length, type.';
grant execute on function service.constraint_violations(request jsonb, problem jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.context_columns(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  parameter text := '$' || (shape -> 'search' ->> 'param');
  block jsonb;
begin
  if not shape ? 'search' then
    return '';
  elsif not service.is_ranked(collection, shape) then
    return format(', service.search_patterns(%s) as patterns', parameter);
  elsif shape ? 'distinct' then
    perform service.fail(400, 'DISTINCT_NOT_APPLICABLE', '"distinct" cannot be combined with a ranked "searchString".', jsonb_build_object('parameter', 'searchString'));
  end if;
  block := service.readable_search(collection, roles);
  return concat(', ', service.search_context(block, parameter),
    ', ' || (block ->> 'finder') || '(' || parameter || ') as found',
    case when (shape -> 'search' ->> 'explain')::boolean then format(', service.search_query(%L::regconfig, %s, false) as any_query, service.search_substrings(%s) as any_pattern',
      block ->> 'config', parameter, service.search_folded(format('translate(%s, ''"'', '' '')', parameter), block)) end);
end $function$;
comment on function service.context_columns(collection text, shape jsonb, roles text[]) is 'SQL text of what a statement works out once beside entering: the patterns of a search, or what a ranked search compares rows with. GW400 DISTINCT_NOT_APPLICABLE for distinct with a ranked search.';

CREATE OR REPLACE FUNCTION service.count(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service.service_claims())
 RETURNS json
 LANGUAGE sql
RETURN (SELECT (r.r)::json AS r FROM service.run(service.with_route('count'::text, ARRAY[count.collection], count.request), count.claims) r(r));
comment on function service.count(collection text, request json, claims jsonb) is 'The answer of GET /data/<collection>/count, as JSON. request: {where, logical, search, distinct, fields}, see service.hoist. claims: the caller, by default the service key.';

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
      branches := format('%s and (%s %s %s or (%4$s is null and %2$s is not null))', ties, keys.expression, service.operator_name(keys.sql_type, '<'), value) || branches;
      ties := ties || format(' and (%1$s %3$s %2$s or (%1$s is null and %2$s is null))', keys.expression, value, service.operator_name(keys.sql_type, '='));
      continue;
    end if;
    value_is_null := coalesce((shape -> 'after' -> 'nulls' ->> (keys.n - 1)::integer)::boolean, false);
    if keys.nullable and not value_is_null and keys.nulls = 'last' then
      branches := format('%s and %s is null', ties, keys.expression) || branches;
    end if;
    beyond := case
      when not value_is_null then format('%s %s %s', keys.expression, service.operator_name(keys.sql_type, case keys.direction when 'asc' then '>' else '<' end), value)
      when keys.nulls = 'first' then format('%s is not null', keys.expression)
    end;
    if beyond is not null then
      branches := format('%s and %s', ties, beyond) || branches;
    end if;
    ties := ties || case when value_is_null then format(' and %s is null', keys.expression) else format(' and %s %s %s', keys.expression, service.operator_name(keys.sql_type, '='), value) end;
  end loop;
  return branches;
end $function$;
comment on function service.cursor_branches(collection text, alias text, shape jsonb, roles text[]) is 'The predicates (each beginning with and) that together hold the rows strictly after shape.after, in the order in which they follow each other.';

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
  -- By their hashes, whose comparison takes a time that tells nothing of the signature.
  if payload is null or sha256(convert_to(service.cursor_seal(collection, payload), 'UTF8')) <> sha256(convert_to(token, 'UTF8')) then
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

CREATE OR REPLACE FUNCTION service.cursor_seal(collection text, payload text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  key service.cursor_key;
begin
  select k.* into key from service.cursor_key k;
  return service.base64url(convert_to(payload, 'UTF8')) || '.'
    || service.base64url(substr(sha256(key.outer_key || sha256(key.inner_key || convert_to(collection || ' ' || payload, 'UTF8'))), 1, 16));
end $function$;
comment on function service.cursor_seal(collection text, payload text) is 'A cursor: base64url of its payload {"k":[[field, direction, nulls]…],"v":[stored value as text or null…, key…]}, a dot, and the first 128 bits of its HMAC-SHA256 under this database''s cursor key. Bound to the collection.';
grant execute on function service.cursor_seal(collection text, payload text) to service_user;

CREATE OR REPLACE FUNCTION service.declared_index(collection text, definition jsonb)
 RETURNS TABLE(name text, is_unique boolean, columns text[], body text)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH key AS (
          SELECT service.field_column(declared_index.collection, COALESCE((k.key ->> 'prop'::text), (k.key #>> '{}'::text[]))) AS name,
             k.n,
             (COALESCE((' '::text ||
                 CASE (k.key ->> 'direction'::text)
                     WHEN 'asc'::text THEN 'asc'::text
                     WHEN 'desc'::text THEN 'desc'::text
                     ELSE NULL::text
                 END), ''::text) || COALESCE((' nulls '::text ||
                 CASE (k.key ->> 'nulls'::text)
                     WHEN 'first'::text THEN 'first'::text
                     WHEN 'last'::text THEN 'last'::text
                     ELSE NULL::text
                 END), ''::text)) AS direction
            FROM jsonb_array_elements((declared_index.definition -> 'on'::text)) WITH ORDINALITY k(key, n)
         ), part AS (
          SELECT array_agg(k.name ORDER BY k.n) AS columns,
             bool_or((k.name IS NULL)) AS unknown,
             string_agg((quote_ident(k.name) || k.direction), ', '::text ORDER BY k.n) AS keys,
             COALESCE(((declared_index.definition ->> 'unique'::text))::boolean, false) AS is_unique,
                 CASE (declared_index.definition ->> 'using'::text)
                     WHEN 'gin'::text THEN 'gin'::text
                     WHEN 'brin'::text THEN 'brin'::text
                     ELSE 'btree'::text
                 END AS method,
             ( SELECT string_agg(quote_ident(service.field_column(declared_index.collection, i.name)), ', '::text ORDER BY i.n) AS string_agg
                    FROM jsonb_array_elements_text((declared_index.definition -> 'include'::text)) WITH ORDINALITY i(name, n)) AS included,
             ( SELECT string_agg(service.index_comparison(declared_index.collection, c_1.comparison), ' and '::text ORDER BY c_1.n) AS string_agg
                    FROM jsonb_array_elements(COALESCE((declared_index.definition #> '{where,and}'::text[]), jsonb_build_array((declared_index.definition -> 'where'::text)))) WITH ORDINALITY c_1(comparison, n)
                   WHERE (jsonb_typeof(c_1.comparison) = 'object'::text)) AS condition
            FROM key k
         ), whole AS (
          SELECT p.columns,
             p.unknown,
             p.keys,
             p.is_unique,
             p.method,
             p.included,
             p.condition,
             format('using %s (%s)%s%s'::text, p.method, p.keys, ((' include ('::text || p.included) || ')'::text), (' where '::text || p.condition)) AS body
            FROM part p
           WHERE (NOT p.unknown)
         )
  SELECT service.short_name(((c.table_name || '_'::text) || array_to_string(w.columns, '_'::text)), (
         CASE
             WHEN w.is_unique THEN '_ux_'::text
             ELSE '_ix_'::text
         END || service.short_hash(concat_ws(' '::text, c.schema_name, c.table_name, w.body)))) AS short_name,
     w.is_unique,
     w.columns,
     w.body
    FROM (whole w
      JOIN service.collections c ON ((c.slug = declared_index.collection)));
END;
comment on function service.declared_index(collection text, definition jsonb) is 'One of a collection file''s indexes {on, using, where, unique, include} as what stands behind "on <table>", with its name. No row when it names an unknown property.';

CREATE OR REPLACE FUNCTION service.define(catalog jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.define(catalog jsonb) is 'Makes {collections, properties, relations}, the rows of the tables of those names with every column, the catalog. True when that changed it; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with an advisory lock.';

CREATE OR REPLACE FUNCTION service.deletion_stamp(collection text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT p.column_name
    FROM (service.collections c
      JOIN service.properties p ON (((p.collection = c.slug) AND (p.name =
         CASE (c.definition -> 'softDelete'::text)
             WHEN 'true'::jsonb THEN 'deletedAt'::text
             ELSE (c.definition #>> '{softDelete,field}'::text[])
         END))))
   WHERE (c.slug = deletion_stamp.collection);
END;
comment on function service.deletion_stamp(collection text) is 'The column that says when a row of the collection was deleted (softDelete in its file); null for a collection whose rows are really deleted.';

CREATE OR REPLACE FUNCTION service.direct_statement(served service.collections, shape jsonb, plan jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  op text := shape ->> 'op';
  sent text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  answer text := case when shape ? 'return' then '''''' else format('(select to_json(d.*) from (select %s) d) as body', service.row_columns(served.slug, 't', shape - 'body', roles)) end;
  gate text := 'with ctx as materialized (select service.enter($1) as ok, $2::jsonb -> ''body'' as body) ';
  judged text := (
    select string_agg(format(case when f.value ? 'required' then ' and %1$s <> ''null'' and %2$s' else ' and (%1$s = ''null'' or %2$s)' end, v.value,
      format('service.fits_type(%s, %L, %L)%s', v.value, f.value ->> 'type', f.value ->> 'sqlType', format(' and char_length(%s #>> ''{}'') <= ', v.value) || (f.value ->> 'maxLength'))), '' order by f.value ->> 'field')
    from jsonb_array_elements(plan -> 'fields') f
    cross join lateral (select format('(ctx.body -> %L)', f.value ->> 'field')) v (value));
  statement text;
begin
  if op = 'delete' or plan ?| array['missing', 'twice', 'stamp'] or (op = 'update' and plan ? 'sentKey') or jsonb_path_exists(plan, '$.fields[*] ? (exists (@.rules) || exists (@.stamp))')
    or served.callbacks ? 'afterRead' or not exists (select from service.written_columns(served, op, sent))
    or not exists (
      select from pg_catalog.pg_class c
      where c.oid = to_regclass(format('%I.%I', served.schema_name, served.table_name)) and c.relkind = 'r' and not c.relhasrules
        -- A trigger after the row: not before (2), not instead (64), for inserts (4) or updates (16).
        and not exists (select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal and g.tgtype & 66 = 0 and g.tgtype & case op when 'create' then 4 else 16 end <> 0))
  then
    return null;
  end if;
  judged := concat('ctx.ok and strpos(ctx.body::text, ''"$'') = 0', judged, (
    select string_agg(format(' and (ctx.body -> %L) not in (''null'', ''""'')', k.name), '') from jsonb_array_elements_text(plan -> 'sentKey') k (name)));
  statement := gate || case op
    when 'create' then service.insert_statement(served, sent, 'ctx cross join lateral ', 'ctx.body', judged, answer)
    else service.update_statement(served, sent, 'ctx cross join lateral ', 'ctx.body',
      format('(select c.ok from ctx c) and %s%s%s', judged, service.key_predicate(served.slug, 't', '3'), service.live(served.slug, 't')), answer) end;
  return case when not service.needs_entering(statement) then statement end;
end $function$;
comment on function service.direct_statement(served collections, shape jsonb, plan jsonb, roles text[]) is 'The one statement of a write of this shape and plan (service.write_plan): $1 claims, $2 request, $3 id of an update; one row, whose body is the row as the caller reads it, a blank for return=minimal; no row when service.write must judge. Null for what is never written so: deletes, views, partitioned tables, fields with rules, keys that an update sends, triggers after the row, afterRead.';

CREATE OR REPLACE FUNCTION service.disagreeing_fields(body jsonb, plan jsonb)
 RETURNS TABLE(field text, message text)
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.disagreeing_fields(body jsonb, plan jsonb) is 'The names of a column that is sent by two of them (a belongsTo and its foreign key) with different values.';

CREATE OR REPLACE FUNCTION service.distance_column(collection text, alias text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (shape ? 'vector'::text) THEN format(', %s as "_distance"'::text, service.scalar_value(service.vector_distance(collection, alias, (shape -> 'vector'::text), roles), 'double precision'::text)) ELSE ''::text END;
comment on function service.distance_column(collection text, alias text, shape jsonb, roles text[]) is 'SQL text of the column _distance that a vector search adds to a row, beginning with a comma; null where it is no number (the cosine of a zero vector).';

CREATE OR REPLACE FUNCTION service.distinct_properties(collection text, shape jsonb)
 RETURNS SETOF service.properties
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  property service.properties;
begin
  for property in
    select p.* from service.properties p
    where p.collection = distinct_properties.collection and not p.excluded and shape -> 'fields' ?| array[p.name, p.column_name]
    order by p.position
  loop
    if not service.is_sortable(property.sql_type) then
      perform service.fail(400, 'DISTINCT_NOT_APPLICABLE', format('Two values of %s cannot be compared: it is of type %s.', property.name, property.sql_type),
        jsonb_build_object('field', property.name, 'collection', collection, 'type', property.type, 'sqlType', property.sql_type));
    end if;
    return next property;
  end loop;
end $function$;
comment on function service.distinct_properties(collection text, shape jsonb) is 'What a distinct read returns, in order: the named columns without those that are excluded. GW400 DISTINCT_NOT_APPLICABLE {field, collection, type, sqlType} for types without an order (json, xml, point …).';

CREATE OR REPLACE FUNCTION service.doubtful_fields(body jsonb, plan jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.doubtful_fields(body jsonb, plan jsonb) is 'Those fields of a write plan whose values in this body may break a rule, for service.body_violations to judge; a JSON array.';
grant execute on function service.doubtful_fields(body jsonb, plan jsonb) to service_user;

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

CREATE OR REPLACE FUNCTION service.equals(relation service.relations, local boolean)
 RETURNS text[]
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT array_agg(
         CASE
             WHEN (((equals.relation).junction_table IS NULL) AND (l.type IS DISTINCT FROM t.type)) THEN '='::text
             ELSE service.operator_name(
             CASE
                 WHEN equals.local THEN l.type
                 ELSE t.type
             END, '='::text)
         END ORDER BY u.n) AS array_agg
    FROM ((UNNEST((equals.relation).local_columns, (equals.relation).target_columns) WITH ORDINALITY u(local_column, target_column, n)
      CROSS JOIN LATERAL ( SELECT (service.find_column((equals.relation).collection, u.local_column)).sql_type AS sql_type) l(type))
      CROSS JOIN LATERAL ( SELECT (service.find_column((equals.relation).target, u.target_column)).sql_type AS sql_type) t(type))
   WHERE (
         CASE
             WHEN equals.local THEN u.local_column
             ELSE u.target_column
         END IS NOT NULL);
END;
comment on function service.equals(relation relations, local boolean) is 'SQL text of the operators (service.operator_name) that equate the local columns of a relation, or those of its target, with what they are joined with, in order.';

CREATE OR REPLACE FUNCTION service.explain(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service.service_claims())
 RETURNS SETOF text
 LANGUAGE plpgsql
AS $function$
declare
  routed json := service.with_route('list', array[collection], request);
begin
  return query select * from string_to_table(service.broken_lines((service.compile((service.hoist(routed)).shape, service.claimed_roles(claims))).statement), E'\n');
  return query select * from service.run(routed, claims, 'explain (analyze, buffers)');
end $function$;
comment on function service.explain(collection text, request json, claims jsonb) is 'The statement of a list, then its plan, run for real as the caller with these claims (by default the service key).';

CREATE OR REPLACE FUNCTION service.extension_schema(name text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT COALESCE(( SELECT (n.nspname)::text AS nspname
            FROM (pg_extension e
              JOIN pg_namespace n ON ((n.oid = e.extnamespace)))
           WHERE (e.extname = extension_schema.name)), ( SELECT 'public'::text
            FROM pg_available_extensions e
           WHERE (e.name = extension_schema.name))) AS "coalesce";
END;
comment on function service.extension_schema(name text) is 'The schema that holds, or will hold, what an extension brings; null when this server does not have the extension.';

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

CREATE OR REPLACE FUNCTION service.field_column(collection text, field text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT COALESCE(( SELECT p.column_name
            FROM service.properties p
           WHERE ((p.collection = field_column.collection) AND (p.name = field_column.field))), ( SELECT r.local_columns[1] AS local_columns
            FROM service.relations r
           WHERE ((r.collection = field_column.collection) AND (r.name = field_column.field) AND (r.kind = 'belongsTo'::text) AND (cardinality(r.local_columns) = 1))), ( SELECT p.column_name
            FROM service.properties p
           WHERE ((p.collection = field_column.collection) AND (p.column_name = field_column.field)))) AS "coalesce";
END;
comment on function service.field_column(collection text, field text) is 'The column that a rule or an index means: a property''s, a belongsTo relation''s foreign key, or by its own name. Null when there is none.';

CREATE OR REPLACE FUNCTION service.find_column(collection text, column_name text)
 RETURNS service.properties
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return (select p from service.properties p where p.collection = find_column.collection and p.column_name = find_column.column_name limit 1);
end $function$;
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
   WHERE ((r.collection = find_relation.collection) AND (r.name = find_relation.relation) AND (EXISTS ( SELECT
            FROM service.collections c
           WHERE ((c.slug = r.target) AND c.exposed))) AND (NOT (EXISTS ( SELECT
            FROM service.link_properties(r.*) p(collection, name, column_name, "position", type, sql_type, not_null, required, generated, excluded, read_roles, write_roles, attributes)
           WHERE p.excluded))));
END;
comment on function service.find_relation(collection text, relation text) is 'The relation of a collection by its name, null when there is none that a client may know of.';

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
 IMMUTABLE PARALLEL SAFE
RETURN CASE type WHEN 'string'::text THEN ((jsonb_typeof(value) = 'string'::text) OR ((jsonb_typeof(value) = 'number'::text) AND (sql_type IS DISTINCT FROM 'uuid'::text))) WHEN 'number'::text THEN CASE WHEN ((jsonb_typeof(value) <> 'number'::text) AND ((jsonb_typeof(value) <> 'string'::text) OR ((value #>> '{}'::text[]) !~ '^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$'::text))) THEN false WHEN (sql_type = ANY (ARRAY['smallint'::text, 'integer'::text, 'bigint'::text])) THEN (((value #>> '{}'::text[]))::numeric = trunc(((value #>> '{}'::text[]))::numeric)) ELSE true END WHEN 'boolean'::text THEN ((jsonb_typeof(value) = 'boolean'::text) OR (value = ANY (ARRAY['"true"'::jsonb, '"false"'::jsonb]))) WHEN 'date'::text THEN ((jsonb_typeof(value) = 'string'::text) AND ((value #>> '{}'::text[]) ~ '^\s*[-+]?\d'::text)) WHEN 'array'::text THEN (jsonb_typeof(value) = 'array'::text) WHEN 'map'::text THEN ((sql_type IS NOT NULL) OR (jsonb_typeof(value) = 'object'::text)) WHEN 'geopoint'::text THEN COALESCE(((jsonb_typeof(value) = 'object'::text) AND (jsonb_typeof((value -> 'latitude'::text)) = 'number'::text) AND (jsonb_typeof((value -> 'longitude'::text)) = 'number'::text)), false) WHEN 'vector'::text THEN ((jsonb_typeof(value) = 'array'::text) AND (NOT jsonb_path_exists(value, 'strict $[*]?(@.type() != "number")'::jsonpath))) WHEN 'binary'::text THEN ((jsonb_typeof(value) = 'string'::text) AND ((value #>> '{}'::text[]) ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'::text)) ELSE true END;
comment on function service.fits_type(value jsonb, type text, sql_type text) is 'Whether a JSON value can be of a property type at all; numbers may be sent as text, booleans as ''true'' and ''false''. A whole number may be written 1.0.';
grant execute on function service.fits_type(value jsonb, type text, sql_type text) to service_user;

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
comment on function service.get(collection text, id text, request json, claims jsonb) is 'The answer of GET /data/<collection>/<id>, as JSON; null where the API says 404. Its ETag is service.row_tag, the second column of the statement. request: {fields, include, where, logical}, see service.hoist. claims: the caller, by default the service key.';

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

CREATE OR REPLACE FUNCTION service.group_columns(collection text, shape jsonb, roles text[], shown boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  field text;
  property service.properties;
  columns text[];
begin
  for field in select * from jsonb_array_elements_text(shape -> 'groupBy') loop
    property := service.aggregate_property(collection, field, roles);
    if not service.is_sortable(property.sql_type) then
      perform service.fail(400, 'INVALID_AGGREGATE_SELECT', format('%s cannot be grouped by %s, which is of type %s.', collection, property.name, property.type),
        jsonb_build_object('field', property.name, 'collection', collection, 'type', property.type, 'sqlType', property.sql_type));
    end if;
    columns := columns || case when shown then format('%s as %I', service.column_value(format('t.%I', property.column_name), property.sql_type), property.name)
      else format('t.%I', property.column_name) end;
  end loop;
  return array_to_string(columns, ', ');
end $function$;
comment on function service.group_columns(collection text, shape jsonb, roles text[], shown boolean) is 'SQL text of the columns that a request groups by, as they are shown or as they are; null without groupBy. GW400 UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE, INVALID_AGGREGATE_SELECT.';

CREATE OR REPLACE FUNCTION service.has_blank_key(op text, body jsonb, sent_key jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  if op <> 'create' or sent_key is null then
    return false;
  end if;
  return exists (select from jsonb_array_elements_text(sent_key) k where body -> k in ('null', '""'));
end $function$;
comment on function service.has_blank_key(op text, body jsonb, sent_key jsonb) is 'Whether a create sends a key, by one of these names, that is null or blank.';
grant execute on function service.has_blank_key(op text, body jsonb, sent_key jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.has_operator(sql_type text, operator text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return exists (
    select from service.operand_types(has_operator.sql_type) t (type)
    join pg_catalog.pg_operator o on o.oprleft = t.type and o.oprright = t.type
    where o.oprname = has_operator.operator);
end $function$;
comment on function service.has_operator(sql_type text, operator text) is 'Whether two values of a type can be compared by an SQL operator (=, <>, <, …): not so for xml or point.';

CREATE OR REPLACE FUNCTION service.has_rows(relation oid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  found boolean := true;
begin
  if has_table_privilege(relation, 'select') and not (select c.relforcerowsecurity from pg_catalog.pg_class c where c.oid = relation) then
    execute format('select exists (select from %s)', relation::regclass) into found;
  end if;
  return found;
end $function$;
comment on function service.has_rows(relation oid) is 'Whether a table has any row; true when that cannot be seen.';

CREATE OR REPLACE FUNCTION service.hides_rows(relation oid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT (c.relrowsecurity AND ((NOT (EXISTS ( SELECT
            FROM pg_policy p
           WHERE ((p.polrelid = c.oid) AND p.polpermissive AND (p.polcmd = ANY (ARRAY['r'::"char", '*'::"char"])) AND (p.polroles && ARRAY[(0)::oid, ( SELECT r.oid
                    FROM pg_roles r
                   WHERE (r.rolname = 'service_user'::name))]) AND (pg_get_expr(p.polqual, p.polrelid) = 'true'::text))))) OR (EXISTS ( SELECT
            FROM pg_policy p
           WHERE ((p.polrelid = c.oid) AND (NOT p.polpermissive) AND (p.polcmd = ANY (ARRAY['r'::"char", '*'::"char"])))))))
    FROM pg_class c
   WHERE (c.oid = hides_rows.relation);
END;
comment on function service.hides_rows(relation oid) is 'Whether row security may hide rows of a table from some request: false where no policy would be asked.';

CREATE OR REPLACE FUNCTION service.hoist(request json, OUT shape jsonb, OUT parameters text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  part record;
  page_size integer := coalesce((request ->> 'limit')::integer, case when request -> 'vector' is null then 50 else 10 end);
  cursor jsonb;
  known text[] := '{op,path,where,logical,orderBy,limit,offset,after,fields,include,count,search,vector,distinct,deleted,select,groupBy,checked}';
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
end $function$;
comment on function service.hoist(request json, OUT shape jsonb, OUT parameters text[]) is 'Takes the values out of a request {op, path: [slug, id, relation …], where: {field: [operator, value] or a list of those}, logical, orderBy: [{field, direction, nulls}], limit, offset, after, fields, include, count, search: {text}, vector: {property, vector, distance, threshold}, distinct, deleted, select: [{fn, field}], groupBy, checked}: the shape that service.compile reads, and the values of $2 onwards. GW400 INVALID_CURSOR, INVALID_PARAM, INVALID_LIMIT, INVALID_OFFSET, CURSOR_WITH_OFFSET, and those of conditions and groups.';

CREATE OR REPLACE FUNCTION service.hoist_condition(field text, condition json, INOUT parameters text[], OUT hoisted jsonb)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  op text := condition ->> 0;
  value json := condition -> 1;
  -- A number with a point or an exponent, in a list one at least (the grammar of the gateway says why).
  is_decimal boolean := exists (
    select from json_array_elements(case json_typeof(value) when 'array' then value else json_build_array(value) end) v
    where json_typeof(v) = 'number' and v::text ~ '[.eE]');
begin
  if op in ('is-null', 'is-not-null') or (json_typeof(value) = 'null' and op in ('==', 'in', '!=', 'not-in')) then
    hoisted := jsonb_build_array(case when op in ('==', 'in') then 'is-null' when op in ('!=', 'not-in') then 'is-not-null' else op end, null);
    return;
  end if;
  if json_typeof(value) = 'array' then
    if exists (select from json_array_elements(value) v where json_typeof(v) = 'null') then
      perform service.fail(400, 'INVALID_FILTER_VALUE', format('The list for %s holds null. Test for null on its own.', field), jsonb_build_object('field', field, 'dbCode', '22004'));
    end if;
    parameters := parameters || array(select v from json_array_elements_text(value) v)::text;
    hoisted := jsonb_build_array(op, jsonb_build_array(cardinality(parameters) + 1)) || case when is_decimal then '["decimal"]' else '[]' end::jsonb;
    return;
  end if;
  if json_typeof(value) in ('string', 'number', 'boolean') then
    -- One value is a list of one; to overlap with it is to contain it.
    parameters := parameters || case when op in ('in', 'not-in') then array[condition ->> 1]::text else condition ->> 1 end;
    hoisted := case when op in ('in', 'not-in') then jsonb_build_array(op, jsonb_build_array(cardinality(parameters) + 1))
      else jsonb_build_array(case op when 'array-contains-any' then 'array-contains' else op end, cardinality(parameters) + 1) end
      || case when is_decimal then '["decimal"]' when json_typeof(value) = 'number' and op not in ('in', 'not-in') then '["number"]' else '[]' end::jsonb;
    return;
  end if;
  perform service.fail(400, 'INVALID_WHERE', format('The condition on %s is not an operator and a value.', field), jsonb_build_object('field', field));
end $function$;
comment on function service.hoist_condition(field text, condition json, INOUT parameters text[], OUT hoisted jsonb) is 'One condition [operator, value] with its value taken out: [operator, parameter number], [operator, [number]] for a list, with "number" or "decimal" behind it for JSON numbers. GW400 INVALID_WHERE, INVALID_FILTER_VALUE for a list that holds null.';

CREATE OR REPLACE FUNCTION service.hoist_field(field text, INOUT parameters text[], OUT hoisted text)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  segment text;
  n bigint;
begin
  for segment, n in select s.segment, s.n from regexp_split_to_table(field, '->>?') with ordinality as s (segment, n) loop
    if n = 1 then
      hoisted := segment;
    else
      parameters := parameters || segment;
      hoisted := concat(hoisted, '->', case when segment ~ '^-?[0-9]+$' then '#' else '$' end, cardinality(parameters) + 1);
    end if;
  end loop;
end $function$;
comment on function service.hoist_field(field text, INOUT parameters text[], OUT hoisted text) is 'A field name with its path inside JSON taken out: metadata->address->>city is metadata->$2->$3; a segment that is a whole number has # for $.';

CREATE OR REPLACE FUNCTION service.hoist_logical(logical json, INOUT parameters text[], OUT node jsonb)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  part record;
  name text;
  child json;
begin
  if logical -> 'conditions' is null and logical ->> 'column' is not null then
    part := service.hoist_field(logical ->> 'column', parameters);
    name := part.hoisted;
    parameters := part.parameters;
    part := service.hoist_condition(logical ->> 'column', json_build_array(logical -> 'operator', logical -> 'value'), parameters);
    parameters := part.parameters;
    node := jsonb_build_object('column', name, 'condition', part.hoisted);
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
  key text;
  conditions json;
  condition json;
  hoisted jsonb;
  child json;
begin
  node := '{}';
  if request -> 'where' is not null then
    node := node || jsonb_build_object('where', '{}'::jsonb);
    for field, conditions in select w.key, w.value from json_each(request -> 'where') w loop
      part := service.hoist_field(field, parameters);
      key := part.hoisted;
      parameters := part.parameters;
      hoisted := '[]';
      for condition in
        select c.value from json_array_elements(case when json_typeof(conditions -> 0) = 'array' then conditions else json_build_array(conditions) end) c
      loop
        part := service.hoist_condition(field, condition, parameters);
        hoisted := hoisted || jsonb_build_array(part.hoisted);
        parameters := part.parameters;
      end loop;
      node := jsonb_set(node, array['where', key], hoisted);
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

CREATE OR REPLACE FUNCTION service.hoist_search(request json, INOUT parameters text[], OUT node jsonb)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
  foreach verbatim in array array['distinct', 'deleted', 'select', 'groupBy', 'checked'] loop
    if request -> verbatim is not null then
      node := node || jsonb_build_object(verbatim, request -> verbatim);
    end if;
  end loop;
end $function$;
comment on function service.hoist_search(request json, INOUT parameters text[], OUT node jsonb) is 'The part of a request that only its root has: search and vector with their values taken out; distinct, deleted, select, groupBy and checked as they are.';

CREATE OR REPLACE FUNCTION service.hooks()
 RETURNS TABLE(hook text, suffix text, trigger_name text, events integer, arguments text, result text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 VALUES ('beforeSave'::text,'__before_save'::text,'_100_before_save'::text,(((1 + 2) + 4) + 16),'op text, old jsonb, new jsonb'::text,'jsonb'::text), ('afterSave'::text,'__after_save'::text,'_900_after_save'::text,((1 + 4) + 16),'op text, old jsonb, new jsonb'::text,'void'::text), ('beforeDelete'::text,'__before_delete'::text,'_100_before_delete'::text,((1 + 2) + 8),'old jsonb'::text,'boolean'::text), ('afterDelete'::text,'__after_delete'::text,'_900_after_delete'::text,(1 + 8),'old jsonb'::text,'void'::text), ('afterRead'::text,NULL::text,NULL::text,NULL::integer,'row json'::text,'json'::text);
END;
comment on function service.hooks() is 'The callbacks a collection may name, the signature each must have, and the trigger that calls it (none for afterRead: the statement that reads does).';

CREATE OR REPLACE FUNCTION service.humanize(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (upper("left"(name, 1)) || replace(substr(name, 2), '_'::text, ' '::text));
comment on function service.humanize(name text) is 'A label from a name: order_items is Order items.';

CREATE OR REPLACE FUNCTION service.id_parts(id text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  if strpos(id, '%') = 0 then
    return string_to_array(id, ':::');
  end if;
  return array(
    select replace(replace(replace(part, '%3A', ':'), '%3a', ':'), '%25', '%')
    from unnest(string_to_array(id, ':::')) with ordinality p (part, n) order by n);
end $function$;
comment on function service.id_parts(id text) is 'The parts of a composite id: joined by :::, with a colon or percent sign in a part written %3A or %25. Other percent signs stand for themselves.';
grant execute on function service.id_parts(id text) to service_user;

CREATE OR REPLACE FUNCTION service.include(collection text, rows_name text, node jsonb, roles text[], OUT ctes text, OUT joins text, OUT columns text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  included record;
  n integer := 0;
  part record;
  relation service.relations;
  unselected text[];
begin
  ctes := '';
  joins := '';
  columns := '';
  for included in select * from service.included_relations(collection, node, roles) loop
    n := n + 1;
    relation := service.find_relation(collection, included.name);
    -- Rows that were collapsed lead only to where their columns lead.
    if node ? 'distinct' and node ? 'fields' then
      unselected := array(
        select p.name from service.properties p
        where p.collection = include.collection and p.column_name = any (relation.local_columns) and not node -> 'fields' ?| array[p.name, p.column_name] order by p.position);
      if unselected <> '{}' then
        perform service.fail(400, 'DISTINCT_NOT_APPLICABLE', format('A distinct read can include %s only with %s among its fields.', relation.name, array_to_string(unselected, ', ')),
          jsonb_build_object('relation', relation.name, 'collection', collection, 'fields', unselected));
      end if;
    end if;
    part := service.include_relation(relation, rows_name, rows_name || '_' || n, included.options, roles);
    ctes := ctes || part.ctes;
    joins := joins || part.joins;
    columns := columns || part.columns;
  end loop;
end $function$;
comment on function service.include(collection text, rows_name text, node jsonb, roles text[], OUT ctes text, OUT joins text, OUT columns text) is 'SQL text for the included relations of a set of rows (a CTE): further CTEs, the joins to them (alias t for the rows) and the columns they add. GW400 DISTINCT_NOT_APPLICABLE {relation, collection, fields} when a distinct read leaves out the columns that lead there, and as service.included_relations.';

CREATE OR REPLACE FUNCTION service.include_relation(relation service.relations, parent_rows text, rows_name text, node jsonb, roles text[], OUT ctes text, OUT joins text, OUT columns text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
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
  equals text[] := service.equals(relation, false);
  back_equals text[] := service.equals(relation, true);
  source text;
begin
  select c.* into target from service.collections c where c.slug = relation.target;
  nested := service.include(relation.target, rows_name, node, roles);
  source := case when relation.junction_table is null
    then format('select t.* from %I.%I t where ctx.ok and %s', target.schema_name, target.table_name,
      service.reached_by('t', relation.target_columns, equals, parent_rows, relation.local_columns))
    else format('select t.*, %s from %I.%I j join %I.%I t on %s where ctx.ok and %s',
      (select string_agg(format('j.%I as %I', u.name, u.alias), ', ') from (
        select * from unnest(relation.junction_source, back) s (name, alias) union all select p.column_name, p.alias from service.pivot_columns(relation, prefix) p) u),
      relation.junction_schema, relation.junction_table, target.schema_name, target.table_name,
      service.column_pairs('t', relation.target_columns, equals, 'j', relation.junction_target),
      service.reached_by('j', relation.junction_source, back_equals, parent_rows, relation.local_columns)) end
    || service.live(relation.target, 't') || coalesce(service.predicate(relation.target, 't', node, roles), '');
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
  joins := format(' left join %I on %s', rows_name || '_json', service.column_pairs(quote_ident(rows_name || '_json'), back, back_equals, 't', relation.local_columns));
  columns := format(case relation.kind when 'belongsTo' then ', %I.%s as %I' when 'hasOne' then ', %I.%s -> 0 as %I' else ', coalesce(%I.%s, ''[]'') as %I' end, rows_name || '_json', json, relation.name);
end $function$;
comment on function service.include_relation(relation relations, parent_rows text, rows_name text, node jsonb, roles text[], OUT ctes text, OUT joins text, OUT columns text) is 'SQL text for one included relation: the CTE of its rows (limit a parent, in order), those of the relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column. To-one is an object or null, to-many an array; rows of a junction with columns of its own carry these as _pivot.';

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
      and exists (select from service.collections c where c.slug = r.target and c.exposed)
      -- * means what the caller may see; only a name insists.
      and not exists (select from service.link_properties(r) p where p.excluded or not service.readable(p, roles))
    order by r.name collate "C";
end $function$;
comment on function service.included_relations(collection text, node jsonb, roles text[]) is 'The relations that a node {include} asks for, with their options; * is spelled out. GW400 UNKNOWN_RELATION {relation, collection, validRelations}, FIELD_NOT_READABLE.';

CREATE OR REPLACE FUNCTION service.index_comparison(collection text, comparison jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT format('%I %s%s'::text, service.field_column(collection, (comparison ->> 'prop'::text)), lower((comparison ->> 'op'::text)),
         CASE lower((comparison ->> 'op'::text))
             WHEN 'is null'::text THEN ''::text
             WHEN 'is not null'::text THEN ''::text
             WHEN 'in'::text THEN ((' ('::text || ( SELECT string_agg(quote_literal(e.v), ', '::text ORDER BY e.n) AS string_agg
                FROM jsonb_array_elements_text((index_comparison.comparison -> 'value'::text)) WITH ORDINALITY e(v, n))) || ')'::text)
             ELSE (' '::text || quote_literal((comparison ->> 'value'::text)))
         END) AS format
   WHERE (lower((comparison ->> 'op'::text)) = ANY (ARRAY['='::text, '!='::text, '<'::text, '<='::text, '>'::text, '>='::text, 'in'::text, 'is null'::text, 'is not null'::text]));
END;
comment on function service.index_comparison(collection text, comparison jsonb) is 'One comparison {prop, op, value} of a partial index as SQL.';

CREATE OR REPLACE FUNCTION service.insert_statement(served service.collections, sent text[], source text, body text, condition text, answer text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT format('insert into %I.%I as t %s returning %s'::text, (insert_statement.served).schema_name, (insert_statement.served).table_name,
         CASE
             WHEN (count(*) = 0) THEN 'default values'::text
             ELSE format('(%s) select %s%s'::text, string_agg(quote_ident(w.column_name), ', '::text ORDER BY w.column_name), string_agg(w.expression, ', '::text ORDER BY w.column_name), concat(' from ', insert_statement.source, service.sent_record(insert_statement.body, array_agg(w.field ORDER BY w.column_name), array_agg(w.read_as ORDER BY w.column_name)), (' where '::text || insert_statement.condition)))
         END, insert_statement.answer) AS format
    FROM service.written_columns(insert_statement.served, 'create'::text, insert_statement.sent) w(column_name, expression, field, read_as);
END;
comment on function service.insert_statement(served collections, sent text[], source text, body text, condition text, answer text) is 'SQL text that inserts a body with these names. source: SQL text in FROM before the body''s record, or null; body: SQL text of the body, jsonb; condition: of the row to be inserted at all, or null; answer: what is returned of the row, t.';

CREATE OR REPLACE FUNCTION service.introspect(schema text, unprotected text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.introspect(schema text, unprotected text) is 'Reads the tables of a schema into the catalog (unprotected: skip or serve those without row security). True when the catalog changed; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with an advisory lock.';

CREATE OR REPLACE FUNCTION service.introspected_collections(tables service.introspected_table[], properties service.properties[])
 RETURNS SETOF service.collections
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_nestloop TO 'off'
 SET jit TO 'off'
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
     ((n.atttypid = ANY (ARRAY[('tsvector'::regtype)::oid, ('tsquery'::regtype)::oid])) OR (service.search_meaning(d.description) IS NOT NULL)),
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
comment on function service.introspected_properties(tables introspected_table[]) is 'The columns of the served tables as rows of service.properties. Text search columns, and those that were generated for a search, are kept out of the API; generated ones are read-only.';

CREATE OR REPLACE FUNCTION service.introspected_relations(tables service.introspected_table[], properties service.properties[])
 RETURNS SETOF service.relations
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_nestloop TO 'off'
 SET jit TO 'off'
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
         ), foreign_key AS MATERIALIZED (
          SELECT f.oid,
             f.conrelid,
             f.confrelid,
             f.conkey,
             child.slug AS child,
             child.schema_name,
             child.junction,
             parent.slug AS parent,
             n_1.child_columns,
             n_1.parent_columns,
             (f.conkey <@ child.key) AS in_key,
             (EXISTS ( SELECT
                    FROM pg_index i
                   WHERE ((i.indrelid = f.conrelid) AND i.indisunique AND (i.indpred IS NULL) AND (i.indnkeyatts = cardinality(f.conkey)) AND ((i.indkey)::smallint[] <@ f.conkey)))) AS unique_columns,
             count(*) OVER (PARTITION BY f.conrelid, f.confrelid) AS siblings
            FROM (((pg_constraint f
              JOIN served child ON ((child.oid = f.conrelid)))
              JOIN served parent ON (((parent.oid = f.confrelid) AND (NOT parent.junction))))
              CROSS JOIN LATERAL ( SELECT array_agg((c.attname)::text ORDER BY k.n) AS child_columns,
                     array_agg((p.attname)::text ORDER BY k.n) AS parent_columns
                    FROM ((UNNEST(f.conkey, f.confkey) WITH ORDINALITY k(child, parent, n)
                      JOIN pg_attribute c ON (((c.attrelid = f.conrelid) AND (c.attnum = k.child))))
                      JOIN pg_attribute p ON (((p.attrelid = f.confrelid) AND (p.attnum = k.parent))))) n_1)
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
              JOIN foreign_key there ON ((there.junction AND (there.conrelid = here.conrelid) AND (there.oid <> here.oid))))
           WHERE here.junction
         ), fitting AS (
          SELECT c.collection,
             replace(((c.name)::name)::text, '->'::text, '_'::text) AS name,
             c.kind,
             c.target,
             c.local_columns,
             c.target_columns,
             c.junction_schema,
             c.junction_table,
             c.junction_source,
             c.junction_target,
             c.rank,
             c.tie
            FROM candidate c
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
            FROM (fitting c
              LEFT JOIN unnest(introspected_relations.properties) p(collection, name, column_name, "position", type, sql_type, not_null, required, generated, excluded, read_roles, write_roles, attributes) ON (((p.collection = c.collection) AND (p.name = c.name))))
         )
  SELECT n.collection,
         CASE n.n
             WHEN 1 THEN n.name
             ELSE ((
             CASE
                 WHEN (octet_length(n.name) > 59) THEN "left"(n.name, '-4'::integer)
                 ELSE n.name
             END || '_'::text) || n.n)
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
                 CASE c.relkind
                     WHEN 'v'::"char" THEN service.runs_as_caller(c.reloptions)
                     ELSE NULL::boolean
                 END AS invoker
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

CREATE OR REPLACE FUNCTION service.is_costly(collection text, statement text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET jit TO 'off'
AS $function$
declare
  large constant real := 100000;
  costly constant real := 20000;
  parameters integer;
  plan json;
begin
  if not exists (
    select from service.collections c join pg_catalog.pg_class t on t.oid = to_regclass(format('%I.%I', c.schema_name, c.table_name))
    where c.slug = is_costly.collection and (t.reltuples >= large or t.relkind <> 'r')) then
    return false;
  end if;
  -- One that a failure left behind: it outlives a rollback.
  if exists (select from pg_catalog.pg_prepared_statements where name = 'service_cost') then
    deallocate service_cost;
  end if;
  execute format('prepare service_cost as %s', statement);
  parameters := (select cardinality(p.parameter_types) from pg_catalog.pg_prepared_statements p where p.name = 'service_cost');
  execute format('explain (format json) execute service_cost(%s)', rtrim(repeat('null, ', parameters), ', ')) into plan;
  deallocate service_cost;
  return (plan -> 0 -> 'Plan' ->> 'Total Cost')::real >= costly;
end $function$;
comment on function service.is_costly(collection text, statement text) is 'Whether a compiled count or aggregate of a collection is worth several processes: the planner''s cost of it, for values unknown, is 20,000 or more (a scan of about a million rows). Tables below 100,000 rows are not looked at.';

CREATE OR REPLACE FUNCTION service.is_ranked(collection text, shape jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((shape ? 'search'::text) AND (EXISTS (SELECT FROM service.collections c WHERE ((c.slug = is_ranked.collection) AND (jsonb_typeof((c.definition -> 'search'::text)) = 'object'::text)))));
comment on function service.is_ranked(collection text, shape jsonb) is 'Whether a request searches a collection that has a search block, so that its rows have a _score.';

CREATE OR REPLACE FUNCTION service.is_readable_id(id text, key_types jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  parts text[] := case jsonb_array_length(key_types) when 1 then array[id] else service.id_parts(id) end;
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
end $function$;
comment on function service.is_readable_id(id text, key_types jsonb) is 'Whether an id can be of the types of a key.';
grant execute on function service.is_readable_id(id text, key_types jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.is_required(served service.collections, property service.properties)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
RETURN ((property).required AND (NOT (property).excluded) AND (NOT ((property).name = ANY ((served).key))) AND (NOT ((property).attributes ?| ARRAY['autoValue'::text, 'defaultValue'::text])) AND (NOT ((served).callbacks ? 'beforeSave'::text)));
comment on function service.is_required(served collections, property properties) is 'Whether a create must send a property: nothing else would fill it.';

CREATE OR REPLACE FUNCTION service.is_sortable(sql_type text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  type pg_catalog.pg_type := (select t from pg_catalog.pg_type t where t.oid = service.base_type(to_regtype(is_sortable.sql_type)));
begin
  if type.typtype = 'c' then
    return not exists (
      select from pg_catalog.pg_attribute a
      where a.attrelid = type.typrelid and a.attnum > 0 and not a.attisdropped and not service.is_sortable(service.sql_type(a.atttypid)));
  elsif type.typcategory = 'A' and type.typlen = -1 then
    return service.is_sortable(service.sql_type(type.typelem));
  end if;
  return exists (
    select from pg_catalog.pg_opclass c
    join pg_catalog.pg_am m on m.oid = c.opcmethod and m.amname = 'btree'
    where c.opcdefault and (
      c.opcintype = type.oid
      or c.opcintype = case type.typtype when 'e' then 'anyenum'::regtype when 'r' then 'anyrange'::regtype when 'm' then 'anymultirange'::regtype end
      or exists (select from pg_catalog.pg_cast b where b.castsource = type.oid and b.casttarget = c.opcintype and b.castmethod = 'b' and b.castcontext = 'i')));
end $function$;
comment on function service.is_sortable(sql_type text) is 'Whether PostgreSQL has an order for a type, and so groups by it: not so for xml, json or the geometric types.';

CREATE OR REPLACE FUNCTION service.json_comparison(expression text, property service.properties, path text, condition jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  op record := service.operand(property.name, condition);
  leaf text := service.json_path(expression, path);
begin
  if property.sql_type not in ('json', 'jsonb') or op.operator like 'array-%' then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to a path inside %s.', op.operator, property.name),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator));
  end if;
  if condition ->> 2 in ('number', 'decimal') and op.operator in ('>', '>=', '<', '<=') then
    -- Rows whose leaf is no number are skipped; the CASE keeps the cast from seeing them. Exponents are held to what numeric can hold.
    return format('case when %1$s ~ ''^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?$'' then %1$s::numeric %2$s $%3$s::numeric else false end', leaf, op.operator, op.parameter);
  end if;
  return format(op.template, leaf, service.value(op.parameter, 'text', op.list));
end $function$;
comment on function service.json_comparison(expression text, property properties, path text, condition jsonb) is 'SQL text of one condition on a path inside a JSON column: text comparison; numeric when an ordering operator was given a JSON number. GW400 as service.operand, INVALID_FILTER_OPERATOR for array operators or a column that is not JSON.';

CREATE OR REPLACE FUNCTION service.json_path(expression text, path text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  segments text[] := (string_to_array(path, '->'))[2:];
  last integer := cardinality(segments);
begin
  for n in 1 .. last loop
    if segments[n] !~ '^[$#][0-9]+$' then
      raise exception 'not a hoisted path: %', path;
    end if;
    expression := format(case left(segments[n], 1) when '#' then '(%s #>%s array[$%s::text])' else '(%s ->%s $%s::text)' end,
      expression, case n when last then '>' else '' end, substr(segments[n], 2));
  end loop;
  return expression;
end $function$;
comment on function service.json_path(expression text, path text) is 'SQL text of the text leaf under a JSON column, from a hoisted field name such as metadata->$2->$3 (the first segment is the column, the others are parameters; #3 for a whole number).';

CREATE OR REPLACE FUNCTION service.judged_fields(served service.collections, op text, sent text[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT jsonb_agg(f.spec) AS jsonb_agg
    FROM ( SELECT jsonb_build_object('field', s.field, 'column', (s.property).column_name, 'type', (s.property).type, 'unwraps', s.unwraps, 'sqlType',
                 CASE
                     WHEN (((s.property).type = 'map'::text) AND ((s.property).attributes ? 'column'::text)) THEN NULL::text
                     ELSE (s.property).sql_type
                 END, 'rules', service.value_rules((s.property).attributes), 'maxLength',
                 CASE (s.property).type
                     WHEN 'string'::text THEN ((s.property).attributes -> 'maxLength'::text)
                     ELSE NULL::jsonb
                 END, 'required',
                 CASE
                     WHEN ((judged_fields.op = 'create'::text) AND service.is_required(judged_fields.served, s.property)) THEN service.required_message(s.field, (s.property).attributes)
                     ELSE NULL::text
                 END, 'key', array_position((judged_fields.served).key, (s.property).name)) AS spec
            FROM service.sent_fields(judged_fields.served, judged_fields.sent) s(field, relation_kind, unwraps, property)
           WHERE (NOT ((s.property).attributes ? 'autoValue'::text))
         UNION ALL
          SELECT jsonb_build_object('field', p.name, 'column', p.column_name, 'stamp', true, 'required', service.required_message(p.name, p.attributes)) AS jsonb_build_object
            FROM service.properties p
           WHERE ((p.collection = (judged_fields.served).slug) AND p.not_null AND ((p.attributes ->> 'autoValue'::text) = ANY (
                 CASE judged_fields.op
                     WHEN 'create'::text THEN ARRAY['user_on_create'::text, 'user_on_update'::text]
                     ELSE ARRAY['user_on_update'::text]
                 END)))) f;
END;
comment on function service.judged_fields(served collections, op text, sent text[]) is 'How the values of a body are judged, field by field: {field, column, type, sqlType?, unwraps?, rules?, maxLength?, required? (the message), key? (its place), stamp?}; null when there is nothing to judge.';

CREATE OR REPLACE FUNCTION service.junction_policies()
 RETURNS TABLE(schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH side AS (
          SELECT t.schema_name,
             t.table_name,
             t.oid,
             r.collection,
             r.name,
             s.definition,
             format('from %I.%I _source where %s'::text, s.schema_name, s.table_name, ( SELECT string_agg(format('_source.%I = %I.%I'::text, l.local, t.table_name, l.link), ' and '::text ORDER BY l.n) AS string_agg
                    FROM UNNEST(r.local_columns, r.junction_source) WITH ORDINALITY l(local, link, n))) AS source,
             format('from %I.%I _target where %s'::text, d.schema_name, d.table_name, ( SELECT string_agg(format('_target.%I = %I.%I'::text, l.local, t.table_name, l.link), ' and '::text ORDER BY l.n) AS string_agg
                    FROM UNNEST(r.target_columns, r.junction_target) WITH ORDINALITY l(local, link, n))) AS target
            FROM (((service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
              JOIN service.relations r ON (((r.kind = 'manyToMany'::text) AND (r.junction_schema = t.schema_name) AND (r.junction_table = t.table_name))))
              JOIN service.collections s ON (((s.slug = r.collection) AND (s.source = 'file'::text))))
              JOIN service.collections d ON ((d.slug = r.target)))
           WHERE (t.collection IS NULL)
         ), rule AS (
          SELECT s.schema_name,
             s.table_name,
             s.collection,
             s.name,
             ((r.rule ->> 'mode'::text) IS DISTINCT FROM 'restrictive'::text) AS permissive,
             ((r.rule ? 'using'::text) OR (r.rule ? 'withCheck'::text)) AS raw,
             service.rule_predicate(s.collection, '_source'::text, r.rule, 'using'::text) AS predicate
            FROM (side s
              CROSS JOIN LATERAL jsonb_array_elements(
                 CASE jsonb_typeof((s.definition -> 'securityRules'::text))
                     WHEN 'array'::text THEN (s.definition -> 'securityRules'::text)
                     ELSE '[]'::jsonb
                 END) r(rule))
           WHERE (EXISTS ( SELECT
                    FROM service.rule_operations(r.rule) o(operation, several)
                   WHERE (o.operation = ANY (ARRAY['update'::text, 'all'::text]))))
         ), writing AS (
          SELECT s.schema_name,
             s.table_name,
             s.oid,
             s.collection,
             s.name,
             s.definition,
             s.source,
             s.target,
             ( SELECT string_agg(DISTINCT (('('::text || r.predicate) || ')'::text), ' or '::text) AS string_agg
                    FROM rule r
                   WHERE ((r.schema_name = s.schema_name) AND (r.table_name = s.table_name) AND (r.collection = s.collection) AND (r.name = s.name) AND r.permissive AND (NOT r.raw))) AS widened,
             ( SELECT string_agg(DISTINCT (('('::text || r.predicate) || ')'::text), ' and '::text) AS string_agg
                    FROM rule r
                   WHERE ((r.schema_name = s.schema_name) AND (r.table_name = s.table_name) AND (r.collection = s.collection) AND (r.name = s.name) AND (NOT r.permissive) AND (NOT r.raw))) AS narrowed,
             (EXISTS ( SELECT
                    FROM rule r
                   WHERE ((r.schema_name = s.schema_name) AND (r.table_name = s.table_name) AND (r.collection = s.collection) AND (r.name = s.name) AND (NOT r.permissive) AND r.raw))) AS locked
            FROM side s
         ), first AS (
          SELECT DISTINCT ON (s.schema_name, s.table_name) s.schema_name,
             s.table_name,
             s.oid,
             s.collection,
             s.name,
             s.definition,
             s.source,
             s.target,
             bool_or(COALESCE(((s.definition ->> 'disableDefaultPolicies'::text))::boolean, false)) OVER (PARTITION BY s.schema_name, s.table_name) AS closed
            FROM side s
           ORDER BY s.schema_name, s.table_name, s.collection, s.name
         ), policy AS (
          SELECT f.schema_name,
             f.table_name,
             f.oid,
             (a.suffix ||
                 CASE
                     WHEN o.several THEN ('_'::text || o.operation)
                     ELSE ''::text
                 END) AS suffix,
             true AS permissive,
             o.operation,
             service.rule_predicate(f.collection, ''::text, a.rule, 'using'::text) AS predicate,
             'the default for a junction'::text AS origin
            FROM ((first f
              CROSS JOIN service.admin_rules() a(suffix, rule))
              CROSS JOIN LATERAL service.rule_operations(a.rule) o(operation, several))
           WHERE (NOT f.closed)
         UNION ALL
          SELECT f.schema_name,
             f.table_name,
             f.oid,
             '_link_read'::text,
             true,
             'select'::text,
             format('exists (select %s) and exists (select %s)'::text, f.source, f.target) AS format,
             format('%s.%s'::text, f.collection, f.name) AS format
            FROM first f
         UNION ALL
          SELECT w.schema_name,
             w.table_name,
             w.oid,
             NULL::text,
             true,
             o.operation,
             format('exists (select %s and (%s)) and exists (select %s)'::text, w.source, w.widened, w.target) AS format,
             format('%s.%s'::text, w.collection, w.name) AS format
            FROM (writing w
              CROSS JOIN unnest(ARRAY['insert'::text, 'update'::text, 'delete'::text]) o(operation))
           WHERE ((w.widened IS NOT NULL) AND (NOT w.locked))
         UNION ALL
          SELECT w.schema_name,
             w.table_name,
             w.oid,
             NULL::text,
             false,
             o.operation,
             format('exists (select %s and %s)'::text, w.source, w.narrowed) AS format,
             format('%s.%s'::text, w.collection, w.name) AS format
            FROM (writing w
              CROSS JOIN unnest(ARRAY['insert'::text, 'update'::text, 'delete'::text]) o(operation))
           WHERE (w.narrowed IS NOT NULL)
         )
  SELECT p.schema_name,
     p.table_name,
     p.oid,
     p.table_name,
     p.suffix,
     p.permissive,
     p.operation,
     ARRAY['public'::text] AS "array",
         CASE
             WHEN (p.operation <> 'insert'::text) THEN p.predicate
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN (p.operation = ANY (ARRAY['insert'::text, 'update'::text])) THEN p.predicate
             ELSE NULL::text
         END AS "case",
     p.origin
    FROM policy p;
END;
comment on function service.junction_policies() is 'The policies of junctions that are no collections of their own; columns as in service.collection_policies().';

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

CREATE OR REPLACE FUNCTION service.keep(plan jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  kept record;
begin
  if not plan ? 'kept' then
    return false;
  elsif current_setting('rowgate.' || (plan ->> 'kept'), true) = 'on' then
    return true;
  elsif current_setting('rowgate.full', true) = 'on' then
    return false;
  elsif (select count(*) from pg_catalog.pg_prepared_statements p where starts_with(p.name, 'write_') and p.from_sql) >= 400 then
    return set_config('rowgate.full', 'on', false) <> 'on';
  end if;
  for kept in
    select k.name, k.text
    from (values (plan ->> 'kept', plan ->> 'statement'), ((plan ->> 'kept') || '_reply', plan ->> 'reply')) k (name, text)
    where k.text is not null and not exists (select from pg_catalog.pg_prepared_statements p where p.name = k.name)
  loop
    execute format('prepare %I (text, text) as %s', kept.name, kept.text);
  end loop;
  return set_config('rowgate.' || (plan ->> 'kept'), 'on', false) = 'on';
end $function$;
comment on function service.keep(plan jsonb) is 'Prepares the statement and the reply of a write plan in this session, under the name that the plan says (kept, kept_reply), unless they are. True when they are prepared; false when the plan says no name, or the session keeps 400 already.';
grant execute on function service.keep(plan jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.keep_key(collection text, key text[], names text[], stored jsonb, changed jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.keep_key(collection text, key text[], names text[], stored jsonb, changed jsonb) is 'Refuses an update whose beforeSave callback returned another key: GW400 KEY_IMMUTABLE with {collection, violations}. Called by the generated triggers, as whoever writes.';
grant execute on function service.keep_key(collection text, key text[], names text[], stored jsonb, changed jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.kept_settings(more text[] DEFAULT '{}'::text[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT jsonb_object_agg(s.name, COALESCE(current_setting(s.name, true), ''::text)) AS jsonb_object_agg
    FROM unnest(('{role,app.uid,app.user_roles,app.is_anonymous,app.jwt}'::text[] || kept_settings.more)) s(name);
END;
comment on function service.kept_settings(more text[]) is 'What service.enter and the role of requests change of a session, and the settings of these names, for service.restore_settings: {name: value}, '''' for one that is not set.';

CREATE OR REPLACE FUNCTION service.key_predicate(collection text, alias text, parameter text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (
         CASE
             WHEN (count(*) > 1) THEN format(' and cardinality(service.id_parts($%s::text)) = %s'::text, key_predicate.parameter, count(*))
             ELSE ''::text
         END || string_agg(format(' and %s.%I %s %s'::text, key_predicate.alias, p.column_name, service.operator_name(p.sql_type, '='::text),
         CASE
             WHEN (cardinality(c.key) = 1) THEN service.value((key_predicate.parameter)::integer, p.sql_type)
             ELSE format('(service.id_parts($%s::text))[%s]::%s'::text, key_predicate.parameter, k.n, p.sql_type)
         END), ''::text ORDER BY k.n))
    FROM service.collections c,
     (LATERAL unnest(c.key) WITH ORDINALITY k(name, n)
      JOIN service.properties p ON ((p.name = k.name)))
   WHERE ((c.slug = key_predicate.collection) AND (p.collection = key_predicate.collection));
END;
comment on function service.key_predicate(collection text, alias text, parameter text) is 'SQL text (beginning with and) of "this row has the id in that parameter". The parts of a composite key stand in one parameter (service.id_parts).';

CREATE OR REPLACE FUNCTION service.link_properties(relation service.relations)
 RETURNS SETOF service.properties
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT p.*::service.properties AS p
    FROM service.properties p
   WHERE ((p.collection = (link_properties.relation).collection) AND (p.column_name = ANY ((link_properties.relation).local_columns)))
 UNION ALL
  SELECT p.*::service.properties AS p
    FROM service.properties p
   WHERE ((p.collection = (link_properties.relation).target) AND (p.column_name = ANY ((link_properties.relation).target_columns)));
END;
comment on function service.link_properties(relation relations) is 'The properties of the columns that a relation joins its two collections by, this side first: who follows it learns their values.';

CREATE OR REPLACE FUNCTION service.list(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service.service_claims())
 RETURNS json
 LANGUAGE sql
RETURN (SELECT (r.r)::json AS r FROM service.run(service.with_route('list'::text, ARRAY[list.collection], list.request), list.claims) r(r));
comment on function service.list(collection text, request json, claims jsonb) is 'The answer of GET /data/<collection>, as JSON. request: {where, logical, orderBy, limit, offset, after, fields, include, count}, see service.hoist. claims: the caller, by default the service key.';

CREATE OR REPLACE FUNCTION service.listed_text(list text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE(array_to_string(list, '
'::text), ''::text);
comment on function service.listed_text(list text[]) is 'The texts of a list, one a line; '''' for none. A generated column calls it, so whoever writes such a table may.';
grant execute on function service.listed_text(list text[]) to service_user;

CREATE OR REPLACE FUNCTION service.live(collection text, alias text, deleted text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (live.deleted = 'include'::text) THEN ''::text
             WHEN (s.stamp IS NULL) THEN
             CASE live.deleted
                 WHEN 'only'::text THEN ' and false'::text
                 ELSE ''::text
             END
             ELSE format(' and %s.%I is %snull'::text, live.alias, s.stamp,
             CASE live.deleted
                 WHEN 'only'::text THEN 'not '::text
                 ELSE ''::text
             END)
         END AS format
    FROM ( SELECT service.deletion_stamp(live.collection) AS deletion_stamp) s(stamp);
END;
comment on function service.live(collection text, alias text, deleted text) is 'SQL text (beginning with and) that leaves out the rows that a soft delete has stamped; with deleted = include nothing, with only it leaves out the others.';

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
end $function$;
comment on function service.login_role(name text, password text, settings jsonb, renew boolean) is 'Makes (or completes) a lane''s login role for this database: member of service_user, with settings {name: value} stored in this database. password: a SCRAM-SHA-256 verifier, used when the role is new, or renew says so. 42710 when a role of this name belongs to somebody else. Needs CREATEROLE.';

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
  if positive not in ('==', 'in', 'is-null', 'is-not-null') then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER_OPERATOR', format('Operator %s does not apply to the relation %s.', op, relation.name),
      jsonb_build_object('field', relation.name, 'collection', relation.collection, 'operator', op));
  end if;
  reach := service.relation_from(relation, alias, target_alias);
  if positive like 'is-%' then
    return format('%s (select from %s)', case positive when 'is-null' then 'not exists' else 'exists' end, reach);
  end if;
  if key.name is null then
    return service.composite_membership(relation, alias, condition, positive);
  end if;
  return format('%s (select from %s and %s)', case when op in ('!=', 'not-in') then 'not exists' else 'exists' end, reach,
    service.comparison(format('%s.%I', target_alias, key.column_name), key, jsonb_set(condition, '{0}', to_jsonb(positive))));
end $function$;
comment on function service.membership(relation relations, alias text, condition jsonb, roles text[]) is 'SQL text of a condition on a relation by its name: the foreign key of a belongsTo, else whether related rows (with these ids) exist. Negative operators mean that no related row matches. Composite ids: service.composite_membership. GW400 UNSUPPORTED_RELATION_FILTER, UNSUPPORTED_RELATION_FILTER_OPERATOR.';

CREATE OR REPLACE FUNCTION service.missing_fields(served service.collections, sent text[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT jsonb_agg(jsonb_build_object('field', m.field, 'code', 'required', 'message', service.required_message(m.field, p.attributes)) ORDER BY m.field) AS jsonb_agg
    FROM ((service.properties p
      LEFT JOIN service.relations r ON (((r.collection = p.collection) AND (r.kind = 'belongsTo'::text) AND (r.local_columns = ARRAY[p.column_name]))))
      CROSS JOIN LATERAL ( SELECT COALESCE(r.name, p.name) AS "coalesce") m(field))
   WHERE ((p.collection = (missing_fields.served).slug) AND service.is_required(missing_fields.served, p.*) AND (NOT (EXISTS ( SELECT
            FROM service.sent_fields(missing_fields.served, missing_fields.sent) s(field, relation_kind, unwraps, property)
           WHERE ((s.property).column_name = p.column_name)))));
END;
comment on function service.missing_fields(served collections, sent text[]) is 'Violations [{field, code, message}] of the required fields that a create does not name; null when there are none.';

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
  SELECT format('grant usage on schema %I to service_user;'::text, n.nspname) AS format
    FROM ((( SELECT DISTINCT service.base_type(a.atttypid) AS oid
            FROM ((relation r
              JOIN pg_attribute a ON (((a.attrelid = ((r.name)::regclass)::oid) AND (a.attnum > 0) AND (NOT a.attisdropped))))
              JOIN pg_type t_1 ON (((t_1.oid = a.atttypid) AND (t_1.typnamespace <> ('pg_catalog'::regnamespace)::oid))))) used
      JOIN pg_type t ON ((t.oid = used.oid)))
      JOIN pg_namespace n ON ((n.oid = t.typnamespace)))
   WHERE (NOT has_schema_privilege('service_user'::name, n.oid, 'usage'::text))
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

CREATE OR REPLACE FUNCTION service.moved_fields(request jsonb, plan jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  id text[] := case jsonb_array_length(plan -> 'keyTypes') when 1 then array[request -> 'path' ->> 1] else service.id_parts(request -> 'path' ->> 1) end;
begin
  if request ->> 'op' <> 'update' or not plan ? 'sentKey' then
    return null;
  end if;
  return (
    select array_agg(f.field order by f.field)
    from jsonb_to_recordset(plan -> 'fields') f (field text, key integer, unwraps text)
    where f.key is not null and service.unwrapped(request -> 'body' -> f.field, f.unwraps) #>> '{}' is distinct from id[f.key]);
end $function$;
comment on function service.moved_fields(request jsonb, plan jsonb) is 'The names under which an update sends another key than that of its row, compared as text; null when it does not.';

CREATE OR REPLACE FUNCTION service.narrowing(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT concat(service.scope((shape -> 'path'::text), 't'::text),
         CASE
             WHEN (shape ? 'search'::text) THEN COALESCE(service.ranked_predicate(service.readable_search(collection, roles)), service.search_predicate(collection, 't'::text, roles))
             ELSE NULL::text
         END,
         CASE
             WHEN (shape ? 'vector'::text) THEN service.vector_predicate(collection, 't'::text, (shape -> 'vector'::text), roles)
             ELSE NULL::text
         END, service.live(collection, 't'::text, (shape ->> 'deleted'::text))) AS concat;
END;
comment on function service.narrowing(collection text, shape jsonb, roles text[]) is 'SQL text (each part beginning with and) of what a read is held to by its path, its search, its vector threshold and its deleted parameter; '''' when nothing does.';

CREATE OR REPLACE FUNCTION service.needs_entering(statement text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH RECURSIVE named AS (
          SELECT c.schema_name,
             c.table_name
            FROM service.collections c
         UNION
          SELECT r.junction_schema,
             r.junction_table
            FROM service.relations r
           WHERE (r.junction_table IS NOT NULL)
         ), reads(oid) AS (
          SELECT (to_regclass(format('%I.%I'::text, n.schema_name, n.table_name)))::oid AS to_regclass
            FROM named n
           WHERE (POSITION((format('%I.%I'::text, n.schema_name, n.table_name)) IN (needs_entering.statement)) > 0)
         UNION
          SELECT COALESCE(partitioned.oid, d.refobjid) AS "coalesce"
            FROM ((((reads r
              JOIN ( SELECT 'pg_policy'::regclass AS classid,
                     p.oid AS objid,
                     p.polrelid AS relation
                    FROM pg_policy p
                 UNION ALL
                  SELECT 'pg_rewrite'::regclass AS regclass,
                     w.oid,
                     w.ev_class
                    FROM pg_rewrite w) rule ON ((rule.relation = r.oid)))
              JOIN pg_depend d ON (((d.classid = (rule.classid)::oid) AND (d.objid = rule.objid))))
              LEFT JOIN pg_proc f ON (((d.refclassid = ('pg_proc'::regclass)::oid) AND (f.oid = d.refobjid) AND f.proretset AND (f.prolang = ( SELECT l.oid
                    FROM pg_language l
                   WHERE (l.lanname = 'sql'::name))))))
              LEFT JOIN pg_class partitioned ON (((f.oid IS NOT NULL) AND (partitioned.relkind = 'p'::"char"))))
           WHERE ((d.refclassid = ('pg_class'::regclass)::oid) OR (partitioned.oid IS NOT NULL))
         ), expression(text) AS (
          SELECT pg_get_expr(p.polqual, p.polrelid) AS pg_get_expr
            FROM (reads r
              JOIN pg_policy p ON ((p.polrelid = r.oid)))
         UNION ALL
          SELECT pg_get_viewdef(c.oid) AS pg_get_viewdef
            FROM (reads r
              JOIN pg_class c ON (((c.oid = r.oid) AND (c.relkind = 'v'::"char"))))
         ), call(name) AS (
          SELECT TRIM(BOTH '"'::text FROM m.m[1]) AS btrim
            FROM expression e,
             LATERAL regexp_matches(regexp_replace(e.text, '\( SELECT ((?!\sFROM\s)[^()]|\(([^()]|\(([^()]|\([^()]*\))*\))*\))*\)'::text, ''::text, 'g'::text), '("[^"]+"|[\w$]+)\('::text, 'g'::text) m(m)
         )
  SELECT ((EXISTS ( SELECT
            FROM (reads r
              JOIN pg_class c ON (((c.oid = r.oid) AND (c.relkind = 'p'::"char")))))) AND (EXISTS ( SELECT
            FROM (call
              JOIN pg_proc f ON ((f.proname = call.name)))
           WHERE ((f.provolatile = 's'::"char") AND ((f.pronamespace <> ('pg_catalog'::regnamespace)::oid) OR (f.proname = 'current_setting'::name))))));
END;
comment on function service.needs_entering(statement text) is 'Whether a compiled statement must run in a transaction that has entered before: it reads a partitioned table, itself or through policies and views, and one of those calls a stable function of its own (service.uid() …) outside (select …).';

CREATE OR REPLACE FUNCTION service.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT format('concat(''true,"nextCursor":"'', service.cursor_seal(%L, concat(%L, json_build_array(%s), ''}'')), ''"'')'::text, next_cursor.collection, format('{"k":%s,"v":'::text, COALESCE(jsonb_agg(jsonb_build_array(k.field, k.direction, k.nulls) ORDER BY k.n) FILTER (WHERE (k.field IS NOT NULL)), '[]'::jsonb)), string_agg(
         CASE
             WHEN ((k.field IS NULL) AND k.nullable) THEN format('coalesce(''='' || %s, '''')'::text, k.last)
             ELSE k.last
         END, ', '::text ORDER BY k.n)) AS format
    FROM ( SELECT o.n,
             o.field,
             o.expression,
             o.sql_type,
             o.direction,
             o.nulls,
             o.nullable,
                 CASE
                     WHEN (next_cursor.row_number IS NULL) THEN format('(array_agg(%s))[%s]::text'::text, o.expression, next_cursor.page_size)
                     ELSE format('(array_agg(%s::text) filter (where %s = %s))[1]'::text, o.expression, next_cursor.row_number, next_cursor.page_size)
                 END AS last
            FROM service.order_keys(next_cursor.collection, 't'::text, (next_cursor.shape -> 'orderBy'::text), next_cursor.roles) o(n, field, expression, sql_type, direction, nulls, nullable)) k;
END;
comment on function service.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text) is 'SQL text of hasMore when there is more: true, and the signed cursor after the last served row. row_number: SQL text, by which that row is known; null where rows come in order and the keys are columns, none of them an array.';

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
grant execute on function service.normalized_text(text text, rules jsonb) to service_user;

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

CREATE OR REPLACE FUNCTION service.operator_name(sql_type text, operator text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return coalesce((
    select format('operator(%I.%s)', n.nspname, o.oprname)
    from pg_catalog.pg_operator o
    join pg_catalog.pg_namespace n on n.oid = o.oprnamespace and n.nspname <> 'pg_catalog'
    where o.oprname = operator_name.operator
      and o.oprleft = service.base_type(to_regtype(operator_name.sql_type)) and o.oprright = o.oprleft
    limit 1), operator_name.operator);
end $function$;
comment on function service.operator_name(sql_type text, operator text) is 'SQL text of an operator between two values of a type: as it is called, or where it is not PostgreSQL''s own, with its schema: operator(extensions.=).';

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
    FROM ( VALUES ('=='::text,'%1$s = %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('!='::text,'%1$s <> %2$s'::text,'{string,number,boolean,date}'::text[],'=='::text,'scalar'::text), ('>'::text,'%1$s > %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('>='::text,'%1$s >= %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('<'::text,'%1$s < %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('<='::text,'%1$s <= %2$s'::text,'{string,number,boolean,date}'::text[],NULL::text,'scalar'::text), ('in'::text,'%1$s = any (%2$s)'::text,'{string,number,boolean,date}'::text[],NULL::text,'list'::text), ('not-in'::text,'%1$s <> all (%2$s)'::text,'{string,number,boolean,date}'::text[],'in'::text,'list'::text), ('array-contains'::text,'%1$s @> array[%2$s]'::text,'{array}'::text[],NULL::text,'scalar'::text), ('array-contains-any'::text,'%1$s && %2$s'::text,'{array}'::text[],NULL::text,'list'::text), ('like'::text,'%1$s like %2$s'::text,'{string}'::text[],NULL::text,'text'::text), ('ilike'::text,'%1$s ilike %2$s'::text,'{string}'::text[],NULL::text,'text'::text), ('not-like'::text,'%1$s not like %2$s'::text,'{string}'::text[],'like'::text,'text'::text), ('not-ilike'::text,'%1$s not ilike %2$s'::text,'{string}'::text[],'ilike'::text,'text'::text), ('is-null'::text,'%1$s is null'::text,'{string,number,boolean,date,array,map,binary}'::text[],NULL::text,'nothing'::text), ('is-not-null'::text,'%1$s is not null'::text,'{string,number,boolean,date,array,map,binary}'::text[],NULL::text,'nothing'::text)) o(operator, template, families, negated, takes);
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
end $function$;
comment on function service.order_keys(collection text, alias text, requested jsonb, roles text[]) is 'The keys of an ordering, complete: requested [{field, direction, nulls}] resolved to expressions, then what is left of the collection''s key, descending (field null). GW400 as service.sort_key.';

CREATE OR REPLACE FUNCTION service.page(collection text, shape jsonb, narrowing text, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  source text := (select format(' from %I.%I t where true', c.schema_name, c.table_name) from service.collections c where c.slug = collection)
    || narrowing || coalesce(service.predicate(collection, 't', shape, roles), '');
  base text;
  tail text;
begin
  if shape ? 'vector' then
    return service.vector_page(collection, shape, source, roles);
  end if;
  base := 'select ' || service.page_columns(collection, shape) || source;
  tail := format(' order by %s limit %s', service.page_order(collection, shape, roles), shape -> 'limit' ->> 'bucket');
  if shape ? 'after' then
    return (
      select string_agg(format('(%s%s%s)', base, branch, tail), ' union all ' order by n)
      from unnest(service.cursor_branches(collection, 't', shape, roles)) with ordinality b (branch, n));
  end if;
  return base || tail || coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '');
end $function$;
comment on function service.page(collection text, shape jsonb, narrowing text, roles text[]) is 'SQL text of the rows of one page, whole rows in order, one more than the limit at least. The limit stands rounded up as a literal, so that the planner sees its size and shapes stay few.';

CREATE OR REPLACE FUNCTION service.page_columns(collection text, shape jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE WHEN ((shape ? 'distinct'::text) AND (shape ? 'fields'::text)) THEN (SELECT ('distinct '::text || COALESCE(string_agg(format('t.%I'::text, p.column_name), ', '::text ORDER BY p."position"), 'true as "true"'::text)) FROM service.distinct_properties(page_columns.collection, page_columns.shape) p(collection, name, column_name, "position", type, sql_type, not_null, required, generated, excluded, read_roles, write_roles, attributes)) ELSE 't.*'::text END;
comment on function service.page_columns(collection text, shape jsonb) is 'SQL text of what a page selects: whole rows, or for a distinct read the named columns, each combination once. GW400 as service.distinct_properties.';

CREATE OR REPLACE FUNCTION service.page_order(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  columns text[];
  unselected text[];
begin
  if shape ? 'vector' then
    shape := shape || jsonb_build_object('orderBy', (
      select coalesce(jsonb_agg(k.value order by k.n), '[]') from jsonb_array_elements(shape -> 'orderBy') with ordinality k (value, n) where k.value ->> 'field' <> '_distance'));
  end if;
  if service.sorts_by_score(collection, shape) then
    return service.score_order(collection, shape, roles);
  elsif not (shape ? 'distinct' and shape ? 'fields') then
    return service.order_by(collection, 't', shape -> 'orderBy', roles);
  end if;
  columns := array(select format('t.%I', p.column_name) from service.distinct_properties(collection, shape) p);
  unselected := array(
    select k.field from service.order_keys(collection, 't', shape -> 'orderBy', roles) k
    where k.field is not null and not k.expression = any (columns) order by k.n);
  if unselected <> '{}' then
    perform service.fail(400, 'DISTINCT_ORDER_BY_NOT_SELECTED',
      format('A distinct read can only be ordered by what it returns, and "fields" leaves out %s.', array_to_string(unselected, ', ')), jsonb_build_object('fields', unselected));
  end if;
  return array_to_string(array(
    select format('%s %s nulls %s', k.expression, k.direction, k.nulls)
    from service.order_keys(collection, 't', shape -> 'orderBy', roles) k where k.field is not null order by k.n) || case columns when '{}' then '{1}' else columns end, ', ');
end $function$;
comment on function service.page_order(collection text, shape jsonb, roles text[]) is 'SQL text after ORDER BY of a page: as requested and then by key, relevance included; by what is returned for a distinct read. GW400 as service.order_keys, DISTINCT_ORDER_BY_NOT_SELECTED {fields}.';

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

CREATE OR REPLACE FUNCTION service.pivot_column(relation service.relations, prefix text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT COALESCE(((', (select to_json(l) from (select '::text || string_agg(format('%s as %I'::text, service.column_value(format('t.%I'::text, p.alias), p.sql_type), p.name), ', '::text ORDER BY p.n)) || ') l) as "_pivot"'::text), ''::text) AS "coalesce"
    FROM service.pivot_columns(pivot_column.relation, pivot_column.prefix) p(n, name, column_name, sql_type, alias);
END;
comment on function service.pivot_column(relation relations, prefix text) is 'SQL text of the column _pivot, beginning with a comma: what the junction says of a link (alias t, under the names of service.pivot_columns); blank when it has no columns of its own.';

CREATE OR REPLACE FUNCTION service.pivot_columns(relation service.relations, prefix text)
 RETURNS TABLE(n bigint, name text, column_name text, sql_type text, alias text)
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT p.n,
     (p.pivot ->> 'name'::text),
     (p.pivot ->> 'columnName'::text),
     (p.pivot ->> 'sqlType'::text),
     ((pivot_columns.prefix || 'pivot'::text) || p.n)
    FROM jsonb_array_elements(
         CASE jsonb_typeof((pivot_columns.relation).pivot)
             WHEN 'array'::text THEN (pivot_columns.relation).pivot
             ELSE '[]'::jsonb
         END) WITH ORDINALITY p(pivot, n);
END;
comment on function service.pivot_columns(relation relations, prefix text) is 'The columns that a junction has of its own, with a name for each beside the columns of the target.';

CREATE OR REPLACE FUNCTION service.plan_callbacks()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH callback AS MATERIALIZED (
          SELECT c.schema_name,
             c.table_name,
             c.relation,
             c.collection,
             c.key,
             c.names,
             c.soft_delete,
             c.hook,
             c.suffix,
             c.trigger_name,
             c.events,
             c.function_schema,
             c.function_name,
             c.arguments,
             c.result,
             c.oid,
             c.fits,
             format('%I.%I'::text, c.schema_name, c.table_name) AS on_table,
             format('%I.%I'::text, c.function_schema, c.function_name) AS called,
             service.short_name(c.collection, c.suffix) AS function_for
            FROM service.callbacks() c(schema_name, table_name, relation, collection, key, names, soft_delete, hook, suffix, trigger_name, events, function_schema, function_name, arguments, result, oid, fits)
         ), wanted_function AS (
          SELECT c.schema_name,
             c.table_name,
             c.relation,
             c.collection,
             c.key,
             c.names,
             c.soft_delete,
             c.hook,
             c.suffix,
             c.trigger_name,
             c.events,
             c.function_schema,
             c.function_name,
             c.arguments,
             c.result,
             c.oid,
             c.fits,
             c.on_table,
             c.called,
             c.function_for,
             f.body,
             format('service.%I'::text, c.function_for) AS name
            FROM (callback c
              CROSS JOIN LATERAL ( SELECT service.callback_body(c.collection, c.key, c.names, c.hook, c.called, c.soft_delete) AS body) f)
           WHERE (c.suffix IS NOT NULL)
         ), generated AS (
          SELECT f.name,
             f.function_for,
             f.body,
             format('Trigger: calls %s, the %s callback of %s. Generated.'::text, f.called, f.hook, f.collection) AS comment
            FROM wanted_function f
         UNION ALL
          SELECT format('service.%I'::text, s.function_for) AS format,
             s.function_for,
             s.body,
             format('Trigger: stamps the rows of %I.%I. Generated.'::text, s.schema_name, s.table_name) AS format
            FROM service.wanted_stamps() s(schema_name, table_name, relation, function_for, body)
         ), wanted_trigger AS (
          SELECT c.schema_name,
             c.table_name,
             c.relation,
             c.trigger_name AS name,
             (c.events +
                 CASE
                     WHEN ((c.soft_delete IS NOT NULL) AND (c.hook ~~ '%Delete'::text)) THEN 16
                     ELSE 0
                 END) AS events,
             c.function_for
            FROM wanted_function c
         UNION ALL
          SELECT s.schema_name,
             s.table_name,
             s.relation,
             '_300_stamp'::text,
             (((1 + 2) + 4) + 16),
             s.function_for
            FROM service.wanted_stamps() s(schema_name, table_name, relation, function_for, body)
         ), stored_trigger AS (
          SELECT g.oid,
             g.tgrelid,
             (g.tgname)::text AS name,
             g.tgtype,
             g.tgenabled,
             (p.proname)::text AS function_for
            FROM (pg_trigger g
              JOIN pg_proc p ON (((p.oid = g.tgfoid) AND (p.pronamespace = ( SELECT n.oid
                    FROM pg_namespace n
                   WHERE (n.nspname = 'service'::name))))))
           WHERE (NOT g.tgisinternal)
         ), trigger AS (
          SELECT w.schema_name,
             w.table_name,
             w.relation,
             w.name,
             w.events,
             w.function_for,
             format('%I.%I'::text, w.schema_name, w.table_name) AS on_table,
             format('%I.%I.%I'::text, w.schema_name, w.table_name, w.name) AS target,
             s.oid,
             s.tgenabled,
             ((s.tgtype = w.events) AND (s.function_for = w.function_for)) AS same
            FROM (wanted_trigger w
              LEFT JOIN stored_trigger s ON (((s.tgrelid = w.relation) AND (s.name = w.name))))
         )
  SELECT 110,
     'function'::text,
     f.name,
     format('create or replace function %s() returns trigger language plpgsql as %L; comment on function %1$s() is %3$L; revoke all on function %1$s() from public'::text, f.name, f.body, f.comment) AS format,
     false,
     'safe'::text,
     NULL::text AS text,
     NULL::text AS text
    FROM generated f
   WHERE (NOT (EXISTS ( SELECT
            FROM pg_proc p
           WHERE ((p.pronamespace = ( SELECT n.oid
                    FROM pg_namespace n
                   WHERE (n.nspname = 'service'::name))) AND (p.proname = f.function_for) AND (p.pronargs = 0) AND (p.prosrc = f.body)))))
 UNION ALL
  SELECT 110,
     'callback'::text,
     c.called,
     NULL::text,
     false,
     'report'::text,
         CASE
             WHEN (c.oid IS NULL) THEN format('The %s callback of %s is not there: it needs this function.'::text, c.hook, c.collection)
             ELSE format('The %s callback of %s must return %s.'::text, c.hook, c.collection, c.result)
         END AS format,
     format('create function %s(%s) returns %s …'::text, c.called, c.arguments, c.result) AS format
    FROM callback c
   WHERE (NOT c.fits)
 UNION ALL
  SELECT 120,
     'trigger'::text,
     t.target,
     format('create or replace trigger %I %s %s on %s for each row execute function service.%I()'::text, t.name,
         CASE
             WHEN ((t.events & 2) > 0) THEN 'before'::text
             ELSE 'after'::text
         END, concat_ws(' or '::text,
         CASE
             WHEN ((t.events & 4) > 0) THEN 'insert'::text
             ELSE NULL::text
         END,
         CASE
             WHEN ((t.events & 16) > 0) THEN 'update'::text
             ELSE NULL::text
         END,
         CASE
             WHEN ((t.events & 8) > 0) THEN 'delete'::text
             ELSE NULL::text
         END), t.on_table, t.function_for) AS format,
     false,
     'safe'::text,
     NULL::text,
     NULL::text
    FROM trigger t
   WHERE ((t.oid IS NULL) OR (NOT t.same))
 UNION ALL
  SELECT 120,
     'trigger'::text,
     t.target,
     NULL::text,
     false,
     'report'::text,
     'It is disabled: what it does is skipped.'::text,
     format('alter table %s enable trigger %I;'::text, t.on_table, t.name) AS format
    FROM trigger t
   WHERE (t.same AND (t.tgenabled = 'D'::"char"))
 UNION ALL
  SELECT 121,
     'trigger'::text,
     format('%I.%I.%I'::text, t.schema_name, t.table_name, s.name) AS format,
     format('drop trigger %I on %I.%I'::text, s.name, t.schema_name, t.table_name) AS format,
     false,
     'safe'::text,
     'No collection asks for it any more.'::text,
     NULL::text
    FROM (service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
      JOIN stored_trigger s ON ((s.tgrelid = t.oid)))
   WHERE (((s.name IN ( SELECT h.trigger_name
            FROM service.hooks() h(hook, suffix, trigger_name, events, arguments, result))) OR (s.name = '_300_stamp'::text)) AND (NOT (EXISTS ( SELECT
            FROM wanted_trigger w
           WHERE ((w.relation = t.oid) AND (w.name = s.name))))))
 UNION ALL
  SELECT 120,
     'trigger'::text,
     format('%I.%I.%I'::text, t.schema_name, t.table_name, g.tgname) AS format,
     NULL::text,
     false,
     'report'::text,
     'Its name sorts between the generated triggers'', so it runs between them.'::text,
     NULL::text
    FROM (service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
      JOIN pg_trigger g ON (((g.tgrelid = t.oid) AND (NOT g.tgisinternal))))
   WHERE (((g.tgname COLLATE "C") > '_100'::name) AND ((g.tgname COLLATE "C") < '_901'::name) AND (NOT (EXISTS ( SELECT
            FROM stored_trigger s
           WHERE (s.oid = g.oid)))));
END;
comment on function service.plan_callbacks() is 'The part of service.provision_plan() about callbacks, stamps and the triggers that call them.';

CREATE OR REPLACE FUNCTION service.plan_columns()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH wanted AS MATERIALIZED (
          SELECT c.schema_name,
             c.table_name,
             c.relation,
             c.attnum,
             c.name,
             c."position",
             c.type,
             c.default_value,
             c.identity,
             c.is_unique,
             c.not_null,
             c.stamp,
             c.in_key,
             c.enum_type,
             c.vector_index,
             format('%I.%I'::text, c.schema_name, c.table_name) AS on_table,
             format('%I.%I.%I'::text, c.schema_name, c.table_name, c.name) AS target,
             a.atttypid,
             a.atttypmod,
             a.attnotnull,
             a.attidentity,
             a.attgenerated,
             pg_get_expr(d.adbin, d.adrelid) AS stored_default
            FROM ((service.wanted_columns() c(schema_name, table_name, relation, attnum, name, "position", type, default_value, identity, is_unique, not_null, stamp, in_key, enum_type, vector_index)
              LEFT JOIN pg_attribute a ON (((a.attrelid = c.relation) AND (a.attnum = c.attnum))))
              LEFT JOIN pg_attrdef d ON (((d.adrelid = c.relation) AND (d.adnum = c.attnum))))
           WHERE ((c.relation IS NOT NULL) AND (c.type IS NOT NULL))
         ), fillable AS MATERIALIZED (
          SELECT w.target,
             (((w.attnum IS NULL) AND ((NOT w.not_null) OR w.identity OR (w.default_value IS NOT NULL) OR (w.type = ANY (ARRAY['smallserial'::text, 'serial'::text, 'bigserial'::text])))) OR (NOT service.has_rows(w.relation))) AS yes
            FROM wanted w
           WHERE ((w.attnum IS NULL) OR (w.not_null AND (NOT w.attnotnull)) OR (w.identity AND (w.attidentity = ''::"char") AND (w.stored_default IS NULL)))
         )
  SELECT 50,
     'column'::text,
     w.target,
     format('alter table %s add column %s'::text, w.on_table, service.column_clause(w.name, w.type, w.default_value, w.identity, (w.not_null AND f.yes))) AS format,
     false,
     'safe'::text,
     NULL::text AS text,
     NULL::text AS text
    FROM (wanted w
      JOIN fillable f ON ((f.target = w.target)))
   WHERE (w.attnum IS NULL)
 UNION ALL
  SELECT 50,
     'column'::text,
     w.target,
     NULL::text,
     false,
     'report'::text,
     format('Its type is %s, the collection''s is %s.'::text, format_type(w.atttypid, w.atttypmod), w.type) AS format,
     format('alter table %s alter column %I type %s using …;'::text, w.on_table, w.name, w.type) AS format
    FROM wanted w
   WHERE ((w.attnum IS NOT NULL) AND (NOT COALESCE(service.same_type(w.type, w.atttypid, w.atttypmod), false)))
 UNION ALL
  SELECT 50,
     'column'::text,
     format('%I.%I.%I'::text, t.schema_name, t.table_name, a.attname) AS format,
     NULL::text,
     false,
     'report'::text,
     ('The collection does not know this column.'::text ||
         CASE
             WHEN (a.attnotnull AND (NOT a.atthasdef) AND (a.attidentity = ''::"char")) THEN ' It is NOT NULL without a default: nothing can be created through the API.'::text
             ELSE ''::text
         END),
     NULL::text
    FROM (service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
      JOIN pg_attribute a ON (((a.attrelid = t.oid) AND (a.attnum > 0) AND (NOT a.attisdropped))))
   WHERE ((NOT (EXISTS ( SELECT
            FROM service.wanted_columns() c(schema_name, table_name, relation, attnum, name, "position", type, default_value, identity, is_unique, not_null, stamp, in_key, enum_type, vector_index)
           WHERE ((c.relation = t.oid) AND (c.attnum = a.attnum))))) AND (NOT (EXISTS ( SELECT
            FROM service.wanted_search_columns() s(collection, schema_name, table_name, relation, name, type, expression, meaning, index_keys, attnum, made_of, ready)
           WHERE ((s.relation = t.oid) AND (s.attnum = a.attnum))))) AND (service.search_meaning(col_description(t.oid, (a.attnum)::integer)) IS NULL))
 UNION ALL
  SELECT 60,
     'default'::text,
     w.target,
     format('alter table %s alter column %I set default (%s)'::text, w.on_table, w.name, w.default_value) AS format,
     false,
     'safe'::text,
     NULL::text,
     NULL::text
    FROM wanted w
   WHERE ((w.attnum IS NOT NULL) AND (w.attgenerated = ''::"char") AND (w.attidentity = ''::"char") AND (w.default_value IS NOT NULL) AND ((w.stored_default IS NULL) OR (service.same_default(w.stored_default, w.default_value, w.type) = false)))
 UNION ALL
  SELECT 60,
     'default'::text,
     w.target,
     NULL::text,
     false,
     'report'::text,
     format('Its default is %s, the collection''s is %s.'::text, COALESCE(w.stored_default, 'an identity'::text), COALESCE(w.default_value, 'none'::text)) AS format,
     format('alter table %s alter column %I %s;'::text, w.on_table, w.name, COALESCE((('set default ('::text || w.default_value) || ')'::text), 'drop default'::text)) AS format
    FROM wanted w
   WHERE ((w.attnum IS NOT NULL) AND (w.attgenerated = ''::"char") AND (NOT (w.identity AND ((w.attidentity <> ''::"char") OR (w.stored_default ~~ 'nextval(%'::text)))) AND
         CASE
             WHEN (w.default_value IS NULL) THEN (((w.stored_default IS NOT NULL) AND (w.type <> ALL (ARRAY['smallserial'::text, 'serial'::text, 'bigserial'::text]))) OR ((w.attidentity <> ''::"char") AND (NOT w.identity)))
             ELSE ((w.attidentity <> ''::"char") OR ((service.same_default(w.stored_default, w.default_value, w.type) IS NULL) AND (w.stored_default IS NOT NULL)))
         END)
 UNION ALL
  SELECT 60,
     'identity'::text,
     w.target,
         CASE
             WHEN (f.yes AND w.attnotnull) THEN format('alter table %s alter column %I add generated by default as identity'::text, w.on_table, w.name)
             ELSE NULL::text
         END AS "case",
     false,
         CASE
             WHEN (f.yes AND w.attnotnull) THEN 'safe'::text
             ELSE 'report'::text
         END AS "case",
         CASE
             WHEN (NOT (f.yes AND w.attnotnull)) THEN 'Its values are not generated, and the table has rows.'::text
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN (NOT (f.yes AND w.attnotnull)) THEN format('alter table %1$s alter column %2$I add generated by default as identity; select setval(pg_get_serial_sequence(%3$L, %4$L), max(%2$I)) from %1$s;'::text, w.on_table, w.name, w.on_table, w.name)
             ELSE NULL::text
         END AS "case"
    FROM (wanted w
      JOIN fillable f ON ((f.target = w.target)))
   WHERE ((w.attnum IS NOT NULL) AND w.identity AND (w.attidentity = ''::"char") AND (w.stored_default IS NULL))
 UNION ALL
  SELECT 70,
     'not null'::text,
     w.target,
         CASE
             WHEN (f.yes AND (w.attnum IS NOT NULL)) THEN format('alter table %s alter column %I set not null'::text, w.on_table, w.name)
             ELSE NULL::text
         END AS "case",
     false,
         CASE
             WHEN f.yes THEN 'safe'::text
             ELSE 'withheld'::text
         END AS "case",
         CASE
             WHEN (NOT f.yes) THEN 'The table has rows, so NOT NULL is withheld.'::text
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN (NOT f.yes) THEN format('update %1$s set %2$I = … where %2$I is null; alter table %1$s alter column %2$I set not null;'::text, w.on_table, w.name)
             ELSE NULL::text
         END AS "case"
    FROM (wanted w
      JOIN fillable f ON ((f.target = w.target)))
   WHERE (w.not_null AND (NOT COALESCE(w.attnotnull, false)) AND (NOT ((w.attnum IS NULL) AND f.yes)))
 UNION ALL
  SELECT 70,
     'not null'::text,
     w.target,
     NULL::text,
     false,
     'report'::text,
     'It is NOT NULL, and the collection does not require it.'::text,
     format('alter table %s alter column %I drop not null;'::text, w.on_table, w.name) AS format
    FROM wanted w
   WHERE (w.attnotnull AND (NOT w.not_null) AND (NOT w.in_key));
END;
comment on function service.plan_columns() is 'The part of service.provision_plan() about the columns of tables that are there.';

CREATE OR REPLACE FUNCTION service.plan_enums()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH wanted AS (
          SELECT DISTINCT ON ((c.enum_type ->> 'schema'::text), (c.enum_type ->> 'name'::text)) (c.enum_type ->> 'schema'::text) AS schema_name,
             (c.enum_type ->> 'name'::text) AS name,
             ARRAY( SELECT jsonb_array_elements_text((c.enum_type -> 'labels'::text)) AS jsonb_array_elements_text) AS labels
            FROM service.wanted_columns() c(schema_name, table_name, relation, attnum, name, "position", type, default_value, identity, is_unique, not_null, stamp, in_key, enum_type, vector_index)
           WHERE (c.enum_type IS NOT NULL)
           ORDER BY (c.enum_type ->> 'schema'::text), (c.enum_type ->> 'name'::text), c.schema_name, c.table_name, c.name
         ), known AS (
          SELECT w.schema_name,
             w.name,
             w.labels,
             format('%I.%I'::text, w.schema_name, w.name) AS target,
             t.oid,
             t.typtype,
             ARRAY( SELECT (e.enumlabel)::text AS enumlabel
                    FROM pg_enum e
                   WHERE (e.enumtypid = t.oid)
                   ORDER BY e.enumsortorder) AS stored
            FROM ((wanted w
              LEFT JOIN pg_namespace n ON ((n.nspname = w.schema_name)))
              LEFT JOIN pg_type t ON (((t.typnamespace = n.oid) AND (t.typname = w.name))))
         ), missing AS (
          SELECT k.schema_name,
             k.name,
             k.labels,
             k.target,
             k.oid,
             k.typtype,
             k.stored,
             l.label,
             l.n,
             k.labels[(l.n - 1)] AS previous,
             ( SELECT s.label
                    FROM unnest(k.labels) WITH ORDINALITY s(label, n)
                   WHERE ((s.n > l.n) AND (s.label = ANY (k.stored)))
                   ORDER BY s.n
                  LIMIT 1) AS next
            FROM (known k
              CROSS JOIN LATERAL unnest(k.labels) WITH ORDINALITY l(label, n))
           WHERE ((k.typtype = 'e'::"char") AND (l.label <> ALL (k.stored)))
         )
  SELECT 30,
     'enum'::text,
     k.target,
     format('create type %s as enum (%s)'::text, k.target, ( SELECT string_agg(quote_literal(u.l), ', '::text ORDER BY u.n) AS string_agg
            FROM unnest(k.labels) WITH ORDINALITY u(l, n))) AS format,
     false,
     'safe'::text,
     NULL::text AS text,
     NULL::text AS text
    FROM known k
   WHERE (k.oid IS NULL)
 UNION ALL
  SELECT ((m.n)::integer - 10000),
     'enum value'::text,
     ((m.target || '.'::text) || quote_ident(m.label)),
     format('alter type %s add value if not exists %L%s'::text, m.target, m.label,
         CASE
             WHEN (m.previous IS NOT NULL) THEN format(' after %L'::text, m.previous)
             WHEN (m.next IS NOT NULL) THEN format(' before %L'::text, m.next)
             ELSE ''::text
         END) AS format,
     true,
     'safe'::text,
     NULL::text,
     NULL::text
    FROM missing m
 UNION ALL
  SELECT 30,
     'enum'::text,
     k.target,
     NULL::text,
     false,
     'report'::text,
     'It is there, but is no enumeration.'::text,
     format('alter type %s rename to …'::text, k.target) AS format
    FROM known k
   WHERE ((k.oid IS NOT NULL) AND (k.typtype <> 'e'::"char"))
 UNION ALL
  SELECT 30,
     'enum'::text,
     k.target,
     NULL::text,
     false,
     'report'::text,
     ('It has labels that the collection does not: '::text || string_agg(s.label, ', '::text ORDER BY s.n)),
     NULL::text
    FROM (known k
      CROSS JOIN LATERAL unnest(k.stored) WITH ORDINALITY s(label, n))
   WHERE (s.label <> ALL (k.labels))
   GROUP BY k.target
 UNION ALL
  SELECT 30,
     'enum'::text,
     k.target,
     NULL::text,
     false,
     'report'::text,
     'Its labels are in another order than the collection''s, and sort so.'::text,
     NULL::text
    FROM known k
   WHERE (ARRAY( SELECT u.s
            FROM unnest(k.stored) WITH ORDINALITY u(s, n)
           WHERE (u.s = ANY (k.labels))
           ORDER BY u.n) <> ARRAY( SELECT u.l
            FROM unnest(k.labels) WITH ORDINALITY u(l, n)
           WHERE (u.l = ANY (k.stored))
           ORDER BY u.n));
END;
comment on function service.plan_enums() is 'The part of service.provision_plan() about enumerations and their labels.';

CREATE OR REPLACE FUNCTION service.plan_foreign_keys()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH stored AS MATERIALIZED (
          SELECT k.oid,
             k.conrelid,
             k.conname,
             k.confrelid,
             k.confdeltype,
             service.column_names(k.conrelid, k.conkey) AS columns,
             service.column_names(k.confrelid, k.confkey) AS target_columns,
             format('%I.%I'::text, n.nspname, r.relname) AS refers_to
            FROM ((pg_constraint k
              JOIN pg_class r ON ((r.oid = k.confrelid)))
              JOIN pg_namespace n ON ((n.oid = r.relnamespace)))
           WHERE ((k.contype = 'f'::"char") AND (k.conparentid = (0)::oid))
         ), wanted AS (
          SELECT f.schema_name,
             f.table_name,
             f.relation,
             f.name,
             f.columns,
             f.target_schema,
             f.target_table,
             f.target_columns,
             f.on_delete,
             format('%I.%I'::text, f.schema_name, f.table_name) AS on_table,
             format('%I.%I'::text, f.target_schema, f.target_table) AS refers_to,
             ( SELECT string_agg(quote_ident(u.c), ', '::text ORDER BY u.n) AS string_agg
                    FROM unnest(f.target_columns) WITH ORDINALITY u(c, n)) AS target_list,
             ((r.oid IS NULL) OR (EXISTS ( SELECT
                    FROM pg_index i
                   WHERE ((i.indrelid = r.oid) AND i.indisunique AND i.indisvalid AND (i.indpred IS NULL) AND (( SELECT array_agg((a.attname)::text ORDER BY a.attname) AS array_agg
                            FROM pg_attribute a
                           WHERE ((a.attrelid = r.oid) AND (a.attnum = ANY (((i.indkey)::smallint[])[0:(i.indnkeyatts - 1)])))) = ( SELECT array_agg(c.c ORDER BY (c.c COLLATE "C")) AS array_agg
                            FROM unnest(f.target_columns) c(c))))))) AS unique_target,
             format('foreign key (%s) references %I.%I (%s) on delete %s'::text, ( SELECT string_agg(quote_ident(u.c), ', '::text ORDER BY u.n) AS string_agg
                    FROM unnest(f.columns) WITH ORDINALITY u(c, n)), f.target_schema, f.target_table, ( SELECT string_agg(quote_ident(u.c), ', '::text ORDER BY u.n) AS string_agg
                    FROM unnest(f.target_columns) WITH ORDINALITY u(c, n)), f.on_delete) AS clause
            FROM ((service.wanted_foreign_keys() f(schema_name, table_name, relation, name, columns, target_schema, target_table, target_columns, on_delete)
              LEFT JOIN pg_namespace n ON ((n.nspname = f.target_schema)))
              LEFT JOIN pg_class r ON (((r.relnamespace = n.oid) AND (r.relname = f.target_table))))
           WHERE (NOT (EXISTS ( SELECT
                    FROM service.wanted_columns() c(schema_name, table_name, relation, attnum, name, "position", type, default_value, identity, is_unique, not_null, stamp, in_key, enum_type, vector_index)
                   WHERE ((c.schema_name = f.schema_name) AND (c.table_name = f.table_name) AND (c.name = ANY (f.columns)) AND (c.type IS NULL)))))
         )
  SELECT 90,
     'foreign key'::text,
     format('%s.%I'::text, w.on_table, w.name) AS format,
         CASE
             WHEN w.unique_target THEN format('alter table %s add constraint %I %s'::text, w.on_table, w.name, w.clause)
             ELSE NULL::text
         END AS "case",
     false,
         CASE
             WHEN w.unique_target THEN 'safe'::text
             ELSE 'withheld'::text
         END AS "case",
         CASE
             WHEN (NOT w.unique_target) THEN format('What it refers to is not unique in %s.'::text, w.refers_to)
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN (NOT w.unique_target) THEN format('alter table %s add primary key (%s);'::text, w.refers_to, w.target_list)
             ELSE NULL::text
         END AS "case"
    FROM wanted w
   WHERE (NOT (EXISTS ( SELECT
            FROM stored s
           WHERE ((s.conrelid = w.relation) AND ((s.columns = w.columns) OR (s.conname = w.name))))))
 UNION ALL
  SELECT 90,
     'foreign key'::text,
     format('%s.%I'::text, w.on_table, s.conname) AS format,
     NULL::text,
     false,
     'report'::text,
         CASE
             WHEN (s.columns <> w.columns) THEN format('A foreign key of this name is on (%s), the collection''s on (%s).'::text, array_to_string(s.columns, ', '::text), array_to_string(w.columns, ', '::text))
             WHEN ((s.refers_to <> w.refers_to) OR (s.target_columns <> w.target_columns)) THEN format('It refers to %s, the collection''s to %s.'::text, s.refers_to, w.refers_to)
             ELSE format('On delete it does something else than the collection''s (%s).'::text, w.on_delete)
         END AS format,
     format('alter table %1$s drop constraint %2$I; alter table %1$s add constraint %3$I %4$s;'::text, w.on_table, s.conname, w.name, w.clause) AS format
    FROM (wanted w
      JOIN stored s ON (((s.conrelid = w.relation) AND ((s.columns = w.columns) OR (s.conname = w.name)))))
   WHERE ((s.columns <> w.columns) OR (s.refers_to <> w.refers_to) OR (s.target_columns <> w.target_columns) OR ((s.confdeltype)::text <>
         CASE w.on_delete
             WHEN 'cascade'::text THEN 'c'::text
             WHEN 'restrict'::text THEN 'r'::text
             WHEN 'set null'::text THEN 'n'::text
             WHEN 'set default'::text THEN 'd'::text
             ELSE 'a'::text
         END));
END;
comment on function service.plan_foreign_keys() is 'The part of service.provision_plan() about foreign keys.';

CREATE OR REPLACE FUNCTION service.plan_grants()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH needed AS (
          SELECT rtrim(g.g, ';'::text) AS statement
            FROM service.missing_grants() g(g)
         UNION
          SELECT format('grant %s on %I.%I to service_user'::text,
                 CASE
                     WHEN t.read_only THEN 'select'::text
                     ELSE 'select, insert, update, delete'::text
                 END, t.schema_name, t.table_name) AS format
            FROM service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
           WHERE (t.oid IS NULL)
         UNION
          SELECT format('grant usage on schema %I to service_user'::text, t.schema_name) AS format
            FROM (service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
              LEFT JOIN pg_namespace n_1 ON ((n_1.nspname = t.schema_name)))
           WHERE ((t.oid IS NULL) AND ((n_1.oid IS NULL) OR (NOT has_schema_privilege('service_user'::name, n_1.oid, 'usage'::text))))
         UNION
          SELECT format('grant usage on schema %I to service_user'::text, c.function_schema) AS format
            FROM (service.callbacks() c(schema_name, table_name, relation, collection, key, names, soft_delete, hook, suffix, trigger_name, events, function_schema, function_name, arguments, result, oid, fits)
              JOIN pg_namespace n_1 ON ((n_1.nspname = c.function_schema)))
           WHERE (NOT has_schema_privilege('service_user'::name, n_1.oid, 'usage'::text))
         UNION
          SELECT format('grant execute on function %s to service_user'::text, (c.oid)::regprocedure) AS format
            FROM service.callbacks() c(schema_name, table_name, relation, collection, key, names, soft_delete, hook, suffix, trigger_name, events, function_schema, function_name, arguments, result, oid, fits)
           WHERE
                 CASE
                     WHEN (c.oid IS NOT NULL) THEN (NOT has_function_privilege('service_user'::name, c.oid, 'execute'::text))
                     ELSE false
                 END
         )
  SELECT 150,
     'grant'::text,
     'service_user'::text,
     n.statement,
     false,
     'safe'::text,
     NULL::text AS text,
     NULL::text AS text
    FROM needed n;
END;
comment on function service.plan_grants() is 'The part of service.provision_plan() about what service_user may do.';

CREATE OR REPLACE FUNCTION service.plan_indexes()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH wanted AS MATERIALIZED (
          SELECT w.schema_name,
             w.table_name,
             w.relation,
             w.kind,
             w.name,
             w.is_unique,
             w.columns,
             w.body,
             format('%I.%I'::text, w.schema_name, w.table_name) AS on_table,
             format('%I.%I'::text, w.schema_name, w.name) AS target,
             r.oid,
             r.relkind,
             i.indrelid,
             i.indisvalid,
             i.indisunique,
                 CASE
                     WHEN (w.relation IS NULL) THEN false
                     ELSE service.has_rows(w.relation)
                 END AS populated
            FROM (((service.wanted_indexes() w(schema_name, table_name, relation, kind, name, is_unique, columns, body)
              LEFT JOIN pg_namespace n ON ((n.nspname = w.schema_name)))
              LEFT JOIN pg_class r ON (((r.relnamespace = n.oid) AND (r.relname = w.name))))
              LEFT JOIN pg_index i ON ((i.indexrelid = r.oid)))
           WHERE ((r.oid IS NULL) OR (i.indisvalid IS NOT TRUE) OR (i.indrelid IS DISTINCT FROM w.relation) OR (i.indisunique <> w.is_unique))
         )
  SELECT
         CASE
             WHEN w.populated THEN 160
             ELSE 100
         END AS "case",
     w.kind,
     w.target,
         CASE
             WHEN ((w.kind = 'unique'::text) AND (NOT w.populated)) THEN format('alter table %s add constraint %I unique (%s)'::text, w.on_table, w.name, ( SELECT string_agg(quote_ident(u.c), ', '::text ORDER BY u.n) AS string_agg
                FROM unnest(w.columns) WITH ORDINALITY u(c, n)))
             ELSE format('create %sindex %s%I on %s %s'::text,
             CASE
                 WHEN w.is_unique THEN 'unique '::text
                 ELSE NULL::text
             END,
             CASE
                 WHEN w.populated THEN 'concurrently if not exists '::text
                 ELSE NULL::text
             END, w.name, w.on_table, w.body)
         END AS format,
     w.populated,
     'safe'::text,
     NULL::text AS text,
     NULL::text AS text
    FROM wanted w
   WHERE (w.oid IS NULL)
 UNION ALL
  SELECT 159,
     w.kind,
     w.target,
     format('drop index concurrently %s'::text, w.target) AS format,
     true,
     'safe'::text,
     'An attempt to build it has failed.'::text,
     NULL::text
    FROM wanted w
   WHERE ((w.indrelid = w.relation) AND (NOT w.indisvalid) AND (NOT (EXISTS ( SELECT
            FROM pg_stat_progress_create_index p
           WHERE ((p.datid = ( SELECT d.oid
                    FROM pg_database d
                   WHERE (d.datname = current_database()))) AND (p.index_relid = w.oid))))) AND (NOT (EXISTS ( SELECT
            FROM pg_constraint k
           WHERE (k.conindid = w.oid)))))
 UNION ALL
  SELECT 100,
     w.kind,
     w.target,
     NULL::text,
     false,
     'report'::text,
     'The name is taken by something else.'::text,
     NULL::text
    FROM wanted w
   WHERE ((w.oid IS NOT NULL) AND ((w.indrelid IS DISTINCT FROM w.relation) OR (w.indisunique <> w.is_unique)))
 UNION ALL
  SELECT 100,
     'index'::text,
     format('%I.%I'::text, t.schema_name, r.relname) AS format,
     NULL::text,
     false,
     'report'::text,
     'No collection asks for this index any more.'::text,
     format('drop index concurrently %I.%I;'::text, t.schema_name, r.relname) AS format
    FROM ((service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
      JOIN pg_index i ON ((i.indrelid = t.oid)))
      JOIN pg_class r ON ((r.oid = i.indexrelid)))
   WHERE ((r.relname ~ '_(ix|ux)_[0-9a-f]{7}$'::text) AND (NOT (EXISTS ( SELECT
            FROM service.wanted_indexes() w(schema_name, table_name, relation, kind, name, is_unique, columns, body)
           WHERE ((w.schema_name = t.schema_name) AND (w.name = r.relname))))));
END;
comment on function service.plan_indexes() is 'The part of service.provision_plan() about indexes and unique properties.';

CREATE OR REPLACE FUNCTION service.plan_policies()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH stored AS MATERIALIZED (
          SELECT p.oid,
             p.polrelid,
             (p.polname)::text AS name,
             seal.found,
             seal.found[1] AS meaning,
             seal.found[2] AS state,
             seal.found[3] AS version
            FROM ((pg_policy p
              LEFT JOIN pg_description d ON (((d.classoid = ('pg_policy'::regclass)::oid) AND (d.objoid = p.oid))))
              LEFT JOIN LATERAL ( SELECT regexp_match(d.description, '^Generated .* meaning:([0-9a-f]+) state:([0-9a-f]+) version:(\d+)$'::text) AS found) seal ON (true))
         ), wanted AS MATERIALIZED (
          SELECT w.schema_name,
             w.table_name,
             w.relation,
             w.name,
             w.clause,
             w.meaning,
             w.origin,
             format('%I.%I'::text, w.schema_name, w.table_name) AS on_table,
             format('%I.%I.%I'::text, w.schema_name, w.table_name, w.name) AS target,
             s.oid,
             s.found,
             s.meaning AS stored_meaning,
             s.state,
             ((s.version)::integer <> ((current_setting('server_version_num'::text))::integer / 10000)) AS older
            FROM (service.wanted_policies() w(schema_name, table_name, relation, name, clause, meaning, origin)
              LEFT JOIN stored s ON (((s.polrelid = w.relation) AND (s.name = w.name))))
         ), made AS (
          SELECT w.schema_name,
             w.table_name,
             w.relation,
             w.name,
             w.clause,
             w.meaning,
             w.origin,
             w.on_table,
             w.target,
             w.oid,
             w.found,
             w.stored_meaning,
             w.state,
             w.older,
             concat(
                 CASE
                     WHEN (w.oid IS NOT NULL) THEN format('drop policy %I on %s; '::text, w.name, w.on_table)
                     ELSE NULL::text
                 END, format('create policy %1$I on %2$s %3$s; select service.seal_policy(%4$L, %1$L, %5$L, %6$L)'::text, w.name, w.on_table, w.clause, w.on_table, w.meaning, split_part(w.origin, '['::text, 1))) AS statement
            FROM wanted w
         )
  SELECT 140,
     'policy'::text,
     m.target,
     m.statement,
     false,
     'safe'::text,
     m.origin,
     NULL::text AS text
    FROM made m
   WHERE ((m.oid IS NULL) OR ((m.found IS NOT NULL) AND ((m.meaning <> m.stored_meaning) OR m.older)))
 UNION ALL
  SELECT 140,
     'policy'::text,
     m.target,
     NULL::text,
     false,
     'report'::text,
         CASE
             WHEN (m.found IS NULL) THEN (('A policy of this name is there that no rule made; the rule of '::text || m.origin) || ' has no effect.'::text)
             ELSE (('It was changed by hand and no longer says what '::text || m.origin) || ' says.'::text)
         END AS "case",
     m.statement
    FROM made m
   WHERE ((m.oid IS NOT NULL) AND ((m.found IS NULL) OR ((m.meaning = m.stored_meaning) AND (NOT m.older) AND (m.state <> service.policy_state(m.oid)))))
 UNION ALL
  SELECT 141,
     'policy'::text,
     format('%I.%I.%I'::text, t.schema_name, t.table_name, s.name) AS format,
         CASE
             WHEN (s.found IS NOT NULL) THEN format('drop policy %I on %I.%I'::text, s.name, t.schema_name, t.table_name)
             ELSE NULL::text
         END AS "case",
     false,
         CASE
             WHEN (s.found IS NULL) THEN 'report'::text
             ELSE 'safe'::text
         END AS "case",
         CASE
             WHEN (s.found IS NULL) THEN 'No rule of a collection made this policy; it applies beside those of the rules.'::text
             ELSE 'No rule asks for it any more.'::text
         END AS "case",
     NULL::text
    FROM (service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
      JOIN stored s ON ((s.polrelid = t.oid)))
   WHERE (NOT (EXISTS ( SELECT
            FROM wanted w
           WHERE ((w.relation = t.oid) AND (w.name = s.name)))));
END;
comment on function service.plan_policies() is 'The part of service.provision_plan() about policies: those of the rules, those no longer asked for, those made or changed by others.';

CREATE OR REPLACE FUNCTION service.plan_row_security()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT 130,
     'row security'::text,
     format('%I.%I'::text, t.schema_name, t.table_name) AS format,
     format('alter table %I.%I enable row level security'::text, t.schema_name, t.table_name) AS format,
     false,
     'safe'::text,
     NULL::text AS text,
     NULL::text AS text
    FROM (service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
      LEFT JOIN pg_class r ON ((r.oid = t.oid)))
   WHERE (NOT COALESCE(r.relrowsecurity, false));
END;
comment on function service.plan_row_security() is 'The part of service.provision_plan() that switches row security on.';

CREATE OR REPLACE FUNCTION service.plan_schemas()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH wanted AS (
          SELECT t.schema_name
            FROM service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
         UNION
          SELECT (c.enum_type ->> 'schema'::text)
            FROM service.wanted_columns() c(schema_name, table_name, relation, attnum, name, "position", type, default_value, identity, is_unique, not_null, stamp, in_key, enum_type, vector_index)
           WHERE (c.enum_type IS NOT NULL)
         ), extension AS (
          SELECT service.extension_schema('vector'::text) AS schema_name,
             (EXISTS ( SELECT
                    FROM pg_extension e
                   WHERE (e.extname = 'vector'::name))) AS installed
           WHERE (EXISTS ( SELECT
                    FROM service.properties p
                   WHERE ((p.attributes #>> '{column,type}'::text[]) ~ '(^|\.)vector(\(|$)'::text)))
         )
  SELECT 10,
     'schema'::text,
     quote_ident(w.schema_name) AS quote_ident,
     format('create schema %I'::text, w.schema_name) AS format,
     false,
     'safe'::text,
     NULL::text AS text,
     NULL::text AS text
    FROM wanted w
   WHERE (NOT (EXISTS ( SELECT
            FROM pg_namespace n
           WHERE (n.nspname = w.schema_name))))
 UNION ALL
  SELECT 20,
     'extension'::text,
     'vector'::text,
     format('create extension vector schema %I'::text, e.schema_name) AS format,
     false,
     'safe'::text,
     NULL::text,
     'As a superuser: create extension vector;'::text
    FROM extension e
   WHERE ((NOT e.installed) AND (e.schema_name IS NOT NULL))
 UNION ALL
  SELECT 20,
     'extension'::text,
     'vector'::text,
     NULL::text,
     false,
     'withheld'::text,
     'This server does not have the extension vector; its columns are left out.'::text,
     'Install pgvector on the database server.'::text
    FROM extension e
   WHERE (e.schema_name IS NULL);
END;
comment on function service.plan_schemas() is 'The part of service.provision_plan() about schemas and extensions.';

CREATE OR REPLACE FUNCTION service.plan_search()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH block AS MATERIALIZED (
          SELECT c.slug,
             (c.definition -> 'search'::text) AS given,
             service.search_block(c.slug) AS block
            FROM service.collections c
           WHERE ((c.source = 'file'::text) AND (jsonb_typeof((c.definition -> 'search'::text)) = 'object'::text))
         ), extension AS (
          SELECT e.name,
             service.extension_schema(e.name) AS schema_name,
             (EXISTS ( SELECT
                    FROM pg_extension x
                   WHERE (x.extname = e.name))) AS installed,
             ((e.lost || string_agg(b.slug, ', '::text ORDER BY b.slug)) || '.'::text) AS lost
            FROM (block b
              CROSS JOIN LATERAL ( VALUES ('unaccent'::text,(((b.given ->> 'unaccent'::text))::boolean OR ((b.given ->> 'mode'::text) = 'hybrid'::text)),'accents tell words apart in searches of '::text), ('pg_trgm'::text,(((b.given ->> 'fuzzy'::text))::boolean OR ((b.given ->> 'mode'::text) = 'hybrid'::text)),'nothing is fuzzy, and substrings are found without an index, in searches of '::text)) e(name, wanted, lost))
           WHERE e.wanted
           GROUP BY e.name, e.lost
         ), configuration AS (
          SELECT DISTINCT (b.block ->> 'config'::text) AS name,
             (b.block ->> 'language'::text) AS language
            FROM block b
           WHERE ((b.block ->> 'config'::text) <> (b.block ->> 'language'::text))
         ), mapping AS (
          SELECT c.name,
             m.dictionaries,
             string_agg(m.token, ', '::text ORDER BY m.token) AS tokens
            FROM (configuration c
              CROSS JOIN LATERAL ( SELECT k.alias AS token,
                     string_agg(format('%I.%I'::text, n.nspname, d.dictname), ', '::text ORDER BY p.mapseqno) AS dictionaries
                    FROM ((((pg_ts_config g
                      JOIN pg_ts_config_map p ON ((p.mapcfg = g.oid)))
                      JOIN pg_ts_dict d ON ((d.oid = p.mapdict)))
                      JOIN pg_namespace n ON ((n.oid = d.dictnamespace)))
                      JOIN LATERAL ts_token_type(g.cfgparser) k(tokid, alias, description) ON ((k.tokid = p.maptokentype)))
                   WHERE ((g.oid = ((c.language)::regconfig)::oid) AND (k.alias = ANY (ARRAY['word'::text, 'hword'::text, 'hword_part'::text, 'numword'::text, 'numhword'::text, 'hword_numpart'::text])))
                   GROUP BY k.alias) m)
           GROUP BY c.name, m.dictionaries
         ), column_step AS MATERIALIZED (
          SELECT s.collection,
             s.schema_name,
             s.table_name,
             s.relation,
             s.name,
             s.type,
             s.expression,
             s.meaning,
             s.index_keys,
             s.attnum,
             s.made_of,
             s.ready,
             format('%I.%I'::text, s.schema_name, s.table_name) AS on_table,
             format('%I.%I.%I'::text, s.schema_name, s.table_name, s.name) AS target,
             format('add column %I %s generated always as (%s) stored'::text, s.name, s.type, s.expression) AS addition,
             format('; comment on column %I.%I.%I is %L'::text, s.schema_name, s.table_name, s.name, format('Made for the search of %s: %s. meaning:%s'::text, s.collection,
                 CASE s.type
                     WHEN 'tsvector'::text THEN 'the words of its fields'::text
                     ELSE 'the text of its fields'::text
                 END, s.meaning)) AS remark
            FROM service.wanted_search_columns() s(collection, schema_name, table_name, relation, name, type, expression, meaning, index_keys, attnum, made_of, ready)
           WHERE (NOT s.ready)
         ), finder AS (
          SELECT f.name,
             f.body,
             b.slug
            FROM (block b
              CROSS JOIN LATERAL service.search_finder(b.slug) f(name, body))
         ), called AS (
          SELECT DISTINCT f.name
            FROM (service.wanted_search_columns() s(collection, schema_name, table_name, relation, name, type, expression, meaning, index_keys, attnum, made_of, ready)
              CROSS JOIN ( VALUES ('service.listed_text(text[])'::text), ('service.texts_within(jsonb)'::text)) f(name))
           WHERE (POSITION(((split_part(f.name, '('::text, 1) || '('::text)) IN (s.expression)) > 0)
         )
  SELECT 20,
     'extension'::text,
     e.name,
         CASE
             WHEN (e.schema_name IS NOT NULL) THEN format('create extension %I schema %I'::text, e.name, e.schema_name)
             ELSE NULL::text
         END AS "case",
     false,
         CASE
             WHEN (e.schema_name IS NULL) THEN 'withheld'::text
             ELSE 'safe'::text
         END AS "case",
         CASE
             WHEN (e.schema_name IS NULL) THEN format('This server does not have the extension %s: %s'::text, e.name, e.lost)
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN (e.schema_name IS NULL) THEN format('Install %s (of PostgreSQL''s contrib modules) on the database server.'::text, e.name)
             ELSE format('As a superuser: create extension %I;'::text, e.name)
         END AS format
    FROM extension e
   WHERE (NOT e.installed)
 UNION ALL
  SELECT 25,
     'text search configuration'::text,
     c.name,
     (format('create text search configuration %s (copy = %s)'::text, c.name, c.language) || COALESCE(( SELECT string_agg(format('; alter text search configuration %s alter mapping for %s with %I.unaccent, %s'::text, c.name, m.tokens, service.extension_schema('unaccent'::text), m.dictionaries), ''::text ORDER BY m.tokens) AS string_agg
            FROM mapping m
           WHERE (m.name = c.name)), ''::text)),
     false,
     'safe'::text,
     NULL::text,
     NULL::text
    FROM configuration c
   WHERE (NOT (EXISTS ( SELECT
            FROM (pg_ts_config g
              JOIN pg_namespace n ON ((n.oid = g.cfgnamespace)))
           WHERE (format('%I.%I'::text, n.nspname, g.cfgname) = c.name))))
 UNION ALL
  SELECT 25,
     'function'::text,
     'service.unaccented'::text,
     format(('create function service.unaccented(text) returns text language sql immutable strict parallel safe return %1$I.unaccent(%2$L::regdictionary, $1); '::text || 'comment on function service.unaccented(text) is %3$L; grant execute on function service.unaccented(text) to public'::text), service.extension_schema('unaccent'::text), format('%I.unaccent'::text, service.extension_schema('unaccent'::text)), 'A text without accents. Generated, because unaccent() is not immutable: its rules are a file.') AS format,
     false,
     'safe'::text,
     NULL::text,
     NULL::text
   WHERE ((EXISTS ( SELECT
            FROM block b
           WHERE ((b.block ->> 'folds'::text))::boolean)) AND (to_regprocedure('service.unaccented(text)'::text) IS NULL))
 UNION ALL
  SELECT 25,
     'grant'::text,
     'public'::text,
     format('grant execute on function %s to public'::text, c.name) AS format,
     false,
     'safe'::text,
     NULL::text,
     NULL::text
    FROM called c
   WHERE (NOT has_function_privilege('public'::name, c.name, 'execute'::text))
 UNION ALL
  SELECT 75,
     'search column'::text,
     c.target,
     (format('alter table %s %s'::text, c.on_table, c.addition) || c.remark),
     false,
     'safe'::text,
     NULL::text,
     NULL::text
    FROM column_step c
   WHERE (c.attnum IS NULL)
 UNION ALL
  SELECT 75,
     'search column'::text,
     c.target,
     (format('alter table %s drop column %I, %s'::text, c.on_table, c.name, c.addition) || c.remark),
     false,
     'safe'::text,
     format('The search block of %s has changed; the column is computed again for every row, and its index built again.'::text, c.collection) AS format,
     NULL::text
    FROM column_step c
   WHERE (c.made_of IS NOT NULL)
 UNION ALL
  SELECT 75,
     'search column'::text,
     c.target,
     NULL::text,
     false,
     'report'::text,
     format('A column of this name is there that no search block made; searches of %s do without it, and without an index.'::text, c.collection) AS format,
     format('Name another one as search.column, or: alter table %s drop column %I;'::text, c.on_table, c.name) AS format
    FROM column_step c
   WHERE ((c.attnum IS NOT NULL) AND (c.made_of IS NULL))
 UNION ALL
  SELECT 75,
     'search column'::text,
     format('%I.%I.%I'::text, t.schema_name, t.table_name, a.attname) AS format,
     NULL::text,
     false,
     'report'::text,
     'No search block asks for this column any more.'::text,
     format('alter table %I.%I drop column %I;'::text, t.schema_name, t.table_name, a.attname) AS format
    FROM (service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
      JOIN pg_attribute a ON (((a.attrelid = t.oid) AND (a.attnum > 0) AND (NOT a.attisdropped) AND (a.attgenerated = 's'::"char"))))
   WHERE ((service.search_meaning(col_description(t.oid, (a.attnum)::integer)) IS NOT NULL) AND (NOT (EXISTS ( SELECT
            FROM service.wanted_search_columns() s(collection, schema_name, table_name, relation, name, type, expression, meaning, index_keys, attnum, made_of, ready)
           WHERE ((s.relation = t.oid) AND (s.attnum = a.attnum))))))
 UNION ALL
  SELECT 110,
     'function'::text,
     format('service.%I'::text, f.name) AS format,
     format(('create or replace function service.%1$I(text) returns tid[] language plpgsql stable security definer set search_path = pg_catalog, pg_temp as %2$L; comment on function service.%1$I(text) is %3$L; '::text || 'revoke all on function service.%1$I(text) from public; grant execute on function service.%1$I(text) to service_user'::text), f.name, f.body, format('Where the rows of %s that a search text finds are: by the index, past row security, which then says who sees which of them. Generated.'::text, f.slug)) AS format,
     false,
     'safe'::text,
     NULL::text,
     NULL::text
    FROM finder f
   WHERE (NOT (EXISTS ( SELECT
            FROM pg_proc p
           WHERE ((p.pronamespace = ( SELECT n.oid
                    FROM pg_namespace n
                   WHERE (n.nspname = 'service'::name))) AND (p.proname = f.name) AND (p.prosrc = f.body)))));
END;
comment on function service.plan_search() is 'The part of service.provision_plan() about ranked searches, without their indexes.';

CREATE OR REPLACE FUNCTION service.plan_tables()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH columns AS MATERIALIZED (
          SELECT c.schema_name,
             c.table_name,
             string_agg(service.column_clause(c.name, c.type, c.default_value, c.identity, (c.not_null OR c.in_key)), ', '::text ORDER BY c."position", c.name) AS clauses
            FROM service.wanted_columns() c(schema_name, table_name, relation, attnum, name, "position", type, default_value, identity, is_unique, not_null, stamp, in_key, enum_type, vector_index)
           WHERE ((c.relation IS NULL) AND (c.type IS NOT NULL))
           GROUP BY c.schema_name, c.table_name
         ), key AS (
          SELECT t.schema_name,
             t.table_name,
             t.collection,
             t.key,
             t.read_only,
             t.soft_delete,
             t.oid,
             format('%I.%I'::text, t.schema_name, t.table_name) AS target,
             ( SELECT string_agg(quote_ident(u.k), ', '::text ORDER BY u.n) AS string_agg
                    FROM unnest(t.key) WITH ORDINALITY u(k, n)) AS keys
            FROM service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
         )
  SELECT 40,
     'table'::text,
     k.target,
     format('create table %s (%s, primary key (%s))'::text, k.target, c.clauses, k.keys) AS format,
     false,
     'safe'::text,
     NULL::text AS text,
     NULL::text AS text
    FROM (key k
      JOIN columns c ON (((c.schema_name = k.schema_name) AND (c.table_name = k.table_name))))
   WHERE (k.oid IS NULL)
 UNION ALL
  SELECT 40,
     'primary key'::text,
     k.target,
     NULL::text,
     false,
     'report'::text,
     COALESCE((((('Its primary key is ('::text || array_to_string(service.column_names(k.oid, p.conkey), ', '::text)) || '), the collection''s is ('::text) || k.keys) || ').'::text), (('It has no primary key; the collection''s is ('::text || k.keys) || ').'::text)) AS "coalesce",
         CASE
             WHEN (p.oid IS NULL) THEN format('alter table %s add primary key (%s);'::text, k.target, k.keys)
             ELSE NULL::text
         END AS "case"
    FROM (key k
      LEFT JOIN pg_constraint p ON (((p.conrelid = k.oid) AND (p.contype = 'p'::"char"))))
   WHERE ((k.oid IS NOT NULL) AND ((p.oid IS NULL) OR (NOT ((service.column_names(k.oid, p.conkey) @> k.key) AND (k.key @> service.column_names(k.oid, p.conkey))))))
 UNION ALL
  SELECT 40,
     'table'::text,
     format('%I.%I'::text, c.schema_name, c.table_name) AS format,
     NULL::text,
     false,
     'report'::text,
         CASE
             WHEN (r.oid IS NULL) THEN 'It is not there. The collection is read-only, so it has no table made for it.'::text
             WHEN ((r.relkind = ANY (ARRAY['v'::"char", 'm'::"char"])) AND (NOT c.read_only)) THEN 'It is a view; a collection over it is readOnly.'::text
             WHEN (r.relkind = 'v'::"char") THEN 'It is a view that runs as its owner, past row security.'::text
             ELSE 'It is no ordinary table.'::text
         END AS "case",
         CASE
             WHEN (r.oid IS NULL) THEN format('create view %I.%I with (security_invoker = on) as select …;'::text, c.schema_name, c.table_name)
             WHEN ((r.relkind = 'v'::"char") AND c.read_only) THEN format('alter view %I.%I set (security_invoker = on);'::text, c.schema_name, c.table_name)
             ELSE NULL::text
         END AS "case"
    FROM ((service.collections c
      LEFT JOIN pg_namespace n ON ((n.nspname = c.schema_name)))
      LEFT JOIN pg_class r ON (((r.relnamespace = n.oid) AND (r.relname = c.table_name))))
   WHERE ((c.source = 'file'::text) AND (((r.oid IS NULL) AND c.read_only) OR (r.relkind <> ALL (ARRAY['r'::"char", 'p'::"char"]))) AND (NOT ((r.oid IS NOT NULL) AND c.read_only AND (r.relkind = 'v'::"char") AND service.runs_as_caller(r.reloptions))));
END;
comment on function service.plan_tables() is 'The part of service.provision_plan() about tables and their keys.';

CREATE OR REPLACE FUNCTION service.policy_state(policy oid)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT "left"(encode(sha256(convert_to(concat_ws('|'::text, p.polcmd, p.polpermissive, (p.polroles)::text, pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)), 'UTF8'::name)), 'hex'::text), 16) AS "left"
    FROM pg_policy p
   WHERE (p.oid = policy_state.policy);
END;
comment on function service.policy_state(policy oid) is 'A hash of what a policy says now, as this version of PostgreSQL writes it.';

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

CREATE OR REPLACE FUNCTION service.provision(policies boolean DEFAULT true)
 RETURNS SETOF service.provision_step
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
end $function$;
comment on function service.provision(policies boolean) is 'Runs the statements of service.provision_plan() up to the first that has to run by itself, in one transaction. Returns what it ran, then what only differs (statement is null), then the statements that have to run by themselves next (concurrent): whoever calls it runs those and calls again, until there are none. A constraint that stored rows or types do not fit is returned as withheld. Any other failure: GW400 SCHEMA_CHANGE_FAILED with details.failures, and nothing is changed. policies: false leaves policies as they are, for a project whose migrations bring what rules call; row security is on by then, so that nobody sees what they do not cover yet. Unqualified names in rules and defaults mean schema public. Needs the owner; callers at the same time wait for each other.';

CREATE OR REPLACE FUNCTION service.provision_plan()
 RETURNS SETOF service.provision_step
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH step AS (
          SELECT plan_schemas.step,
             plan_schemas.kind,
             plan_schemas.target,
             plan_schemas.statement,
             plan_schemas.concurrent,
             plan_schemas.verdict,
             plan_schemas.detail,
             plan_schemas.remedy
            FROM service.plan_schemas() plan_schemas(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_enums.step,
             plan_enums.kind,
             plan_enums.target,
             plan_enums.statement,
             plan_enums.concurrent,
             plan_enums.verdict,
             plan_enums.detail,
             plan_enums.remedy
            FROM service.plan_enums() plan_enums(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_tables.step,
             plan_tables.kind,
             plan_tables.target,
             plan_tables.statement,
             plan_tables.concurrent,
             plan_tables.verdict,
             plan_tables.detail,
             plan_tables.remedy
            FROM service.plan_tables() plan_tables(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_columns.step,
             plan_columns.kind,
             plan_columns.target,
             plan_columns.statement,
             plan_columns.concurrent,
             plan_columns.verdict,
             plan_columns.detail,
             plan_columns.remedy
            FROM service.plan_columns() plan_columns(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_foreign_keys.step,
             plan_foreign_keys.kind,
             plan_foreign_keys.target,
             plan_foreign_keys.statement,
             plan_foreign_keys.concurrent,
             plan_foreign_keys.verdict,
             plan_foreign_keys.detail,
             plan_foreign_keys.remedy
            FROM service.plan_foreign_keys() plan_foreign_keys(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_search.step,
             plan_search.kind,
             plan_search.target,
             plan_search.statement,
             plan_search.concurrent,
             plan_search.verdict,
             plan_search.detail,
             plan_search.remedy
            FROM service.plan_search() plan_search(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_indexes.step,
             plan_indexes.kind,
             plan_indexes.target,
             plan_indexes.statement,
             plan_indexes.concurrent,
             plan_indexes.verdict,
             plan_indexes.detail,
             plan_indexes.remedy
            FROM service.plan_indexes() plan_indexes(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_callbacks.step,
             plan_callbacks.kind,
             plan_callbacks.target,
             plan_callbacks.statement,
             plan_callbacks.concurrent,
             plan_callbacks.verdict,
             plan_callbacks.detail,
             plan_callbacks.remedy
            FROM service.plan_callbacks() plan_callbacks(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_row_security.step,
             plan_row_security.kind,
             plan_row_security.target,
             plan_row_security.statement,
             plan_row_security.concurrent,
             plan_row_security.verdict,
             plan_row_security.detail,
             plan_row_security.remedy
            FROM service.plan_row_security() plan_row_security(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_policies.step,
             plan_policies.kind,
             plan_policies.target,
             plan_policies.statement,
             plan_policies.concurrent,
             plan_policies.verdict,
             plan_policies.detail,
             plan_policies.remedy
            FROM service.plan_policies() plan_policies(step, kind, target, statement, concurrent, verdict, detail, remedy)
         UNION ALL
          SELECT plan_grants.step,
             plan_grants.kind,
             plan_grants.target,
             plan_grants.statement,
             plan_grants.concurrent,
             plan_grants.verdict,
             plan_grants.detail,
             plan_grants.remedy
            FROM service.plan_grants() plan_grants(step, kind, target, statement, concurrent, verdict, detail, remedy)
         )
  SELECT (row_number() OVER (ORDER BY s.step, (s.target COLLATE "C"), (s.statement COLLATE "C"), (s.detail COLLATE "C")))::integer AS row_number,
     s.kind,
     s.target,
     s.statement,
     s.concurrent,
     s.verdict,
     s.detail,
     s.remedy
    FROM step s
   ORDER BY ((row_number() OVER (ORDER BY s.step, (s.target COLLATE "C"), (s.statement COLLATE "C"), (s.detail COLLATE "C")))::integer);
END;
comment on function service.provision_plan() is E'What the collections of files ask for and the database lacks, in the order in which it has to be done. verdict: safe (statement brings it), withheld (would need the table empty, or an extension that is not there), report (differs in a way that is never repaired: remedy says how one could). concurrent: the statement runs by itself, outside a transaction. In psql: select statement from service.provision_plan() where statement is not null \\gexec';

CREATE OR REPLACE FUNCTION service.ranked_predicate(block jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (block IS NULL) THEN NULL::text WHEN ((block -> 'fields'::text) = '[]'::jsonb) THEN ' and false'::text ELSE concat(CASE WHEN (block ? 'finder'::text) THEN ' and t.ctid = any (ctx.found)'::text ELSE NULL::text END, CASE WHEN (NOT COALESCE(((block ->> 'exact'::text))::boolean, false)) THEN (' and '::text || service.search_condition(block, (block ->> 'vector'::text), (block ->> 'folded'::text))) ELSE NULL::text END) END;
comment on function service.ranked_predicate(block jsonb) is 'SQL text (beginning with and) of a ranked search (service.readable_search) over a row t. No field that the caller may read: no row.';

CREATE OR REPLACE FUNCTION service.reached_by(alias text, columns text[], operators text[], parent_rows text, parent_columns text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (cardinality(columns) = 1) THEN format('%s.%I %s any (array(select p.%I from %I p))'::text, alias, (columns)[1], (operators)[1], (parent_columns)[1], parent_rows) WHEN ('='::text <> ANY (operators)) THEN format('exists (select from %I p where %s)'::text, parent_rows, service.column_pairs(alias, columns, operators, 'p'::text, parent_columns)) ELSE format('(%s) in (select %s from %I p)'::text, service.column_list(alias, columns), service.column_list('p'::text, parent_columns), parent_rows) END;
comment on function service.reached_by(alias text, columns text[], operators text[], parent_rows text, parent_columns text[]) is 'SQL text: these columns of the alias equal those columns of one of the parent rows.';

CREATE OR REPLACE FUNCTION service.read_back(plan jsonb, claims text, key text)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
declare
  body text;
begin
  perform set_config('transaction_read_only', 'on', true);
  body := service.run_planned(null, plan ->> 'reply', claims, key);
  raise exception using errcode = 'GW000';
exception when sqlstate 'GW000' then
  return body;
end $function$;
comment on function service.read_back(plan jsonb, claims text, key text) is 'The row that a write has left, by the read of its plan: read-only, as every read (25006 when a callback writes). The transaction can write again afterwards.';
grant execute on function service.read_back(plan jsonb, claims text, key text) to service_user;

CREATE OR REPLACE FUNCTION service.readable(property service.properties, roles text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
RETURN (((property).read_roles IS NULL) OR COALESCE(((property).read_roles && roles), false) OR (COALESCE(('admin'::text = ANY (roles)), false) AND ((property).read_roles <> '{}'::text[])));
comment on function service.readable(property properties, roles text[]) is 'Whether holders of these roles may read the property: no list means everybody, an empty list nobody, and admin may read whatever somebody may.';

CREATE OR REPLACE FUNCTION service.readable_search(collection text, roles text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  block jsonb := service.search_block(collection);
  fields jsonb := block -> 'fields';
  ready boolean := coalesce((select bool_and(w.ready) from service.wanted_search_columns() w where w.collection = readable_search.collection), false);
  finder record;
  relation pg_class;
begin
  if block is null then
    return null;
  elsif not ready then
    block := block || jsonb_build_object('config', block -> 'language', 'folds', false, 'fuzzy', false);
  end if;
  block := block || jsonb_build_object('fields', coalesce((
    select jsonb_agg(f.field order by f.n)
    from jsonb_array_elements(fields) with ordinality f (field, n)
    join service.properties p on p.collection = readable_search.collection and p.name = split_part(f.field ->> 'path', '.', 1)
    where not p.excluded and service.readable(p, roles)), '[]'));
  if not ready or block -> 'fields' <> fields then
    return block || jsonb_build_object('vector', service.search_vector(collection, block, 't.'), 'folded', service.search_text(collection, block, 't.'));
  end if;
  block := block || jsonb_build_object('vector', 't.' || quote_ident(block ->> 'column'), 'folded', 't.' || quote_ident(block ->> 'textColumn'));
  select c.* into relation from service.collections s join pg_namespace n on n.nspname = s.schema_name join pg_class c on c.relnamespace = n.oid and c.relname = s.table_name where s.slug = collection;
  select f.name into finder
  from service.search_finder(collection) f
  join pg_proc p on p.proname = f.name and p.prosrc = f.body and p.pronamespace = (select n.oid from pg_namespace n where n.nspname = 'service')
  join pg_roles r on r.oid = p.proowner and r.rolname = current_user;
  if finder.name is not null and service.hides_rows(relation.oid) and not row_security_active(relation.oid) then
    -- A place is unique in one table; in a partitioned one the condition is asked again.
    block := block || jsonb_build_object('finder', format('service.%I', finder.name), 'exact', relation.relkind = 'r');
  end if;
  return block;
end $function$;
comment on function service.readable_search(collection text, roles text[]) is 'The search block of a collection (service.search_block) as holders of these roles search it: fields that they may read, vector and folded (SQL text over a row t), and finder, the function whose index search row security cannot take part in (exact: it finds nothing else); null without a search block. To be called with the rights that the generated functions have.';

CREATE OR REPLACE FUNCTION service.reading_roles(source text, definition jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH rule AS (
          SELECT r.rule,
             (r.rule ? 'roles'::text) AS limited
            FROM jsonb_array_elements(
                 CASE jsonb_typeof((reading_roles.definition -> 'securityRules'::text))
                     WHEN 'array'::text THEN (reading_roles.definition -> 'securityRules'::text)
                     ELSE '[]'::jsonb
                 END) r(rule)
           WHERE (((r.rule ->> 'mode'::text) IS DISTINCT FROM 'restrictive'::text) AND (EXISTS ( SELECT
                    FROM service.rule_operations(r.rule) o(operation, several)
                   WHERE (o.operation = ANY (ARRAY['select'::text, 'all'::text])))) AND ((r.rule ?| ARRAY['ownerField'::text, 'using'::text, 'roles'::text]) OR ((r.rule ->> 'access'::text) = 'public'::text)))
         )
  SELECT
         CASE
             WHEN ((source = 'file'::text) AND (NOT (EXISTS ( SELECT
                FROM rule r
               WHERE (NOT r.limited))))) THEN ARRAY( SELECT DISTINCT n.role
                FROM ( SELECT jsonb_array_elements_text((r.rule -> 'roles'::text)) AS role
                        FROM rule r
                     UNION ALL
                      SELECT 'admin'::text
                       WHERE (NOT COALESCE(((reading_roles.definition ->> 'disableDefaultPolicies'::text))::boolean, false))) n
               ORDER BY n.role)
             ELSE NULL::text[]
         END AS "case";
END;
comment on function service.reading_roles(source text, definition jsonb) is 'The roles of which a caller needs one to see any row of a collection with this source and definition, as far as its rules tell; null when they let others see some.';

CREATE OR REPLACE FUNCTION service.refuse_operations(request jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.refuse_operations(request jsonb) is 'Nothing, or GW501 NOT_IMPLEMENTED for a field operation ({"views": {"$inc": 1}}), GW400 INVALID_FIELD_OPERATION for one that does not exist or that a create sends.';

CREATE OR REPLACE FUNCTION service.refuse_recursion()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.refuse_recursion() is 'Ends callbacks whose writes call callbacks: GW500 CALLBACK_RECURSION with {chain, depth}, the trigger functions outermost first. Called by the generated triggers below 16 levels.';
grant execute on function service.refuse_recursion() to service_user;

CREATE OR REPLACE FUNCTION service.refuse_stamp(collection text, field text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform service.fail(400, 'FIELD_NOT_WRITABLE', format('%s is set by deleting the row. Null restores it.', field),
    service.violation_details(collection, array[field], 'soft_delete', '%s is set by deleting the row. Null restores it.'));
end $function$;
comment on function service.refuse_stamp(collection text, field text) is 'GW400 FIELD_NOT_WRITABLE, violation soft_delete: an update may not delete.';
grant execute on function service.refuse_stamp(collection text, field text) to service_user;

CREATE OR REPLACE FUNCTION service.refuse_unaffected(request jsonb, visible boolean, moved text[] DEFAULT NULL::text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
end $function$;
comment on function service.refuse_unaffected(request jsonb, visible boolean, moved text[]) is 'Says why a write touched no row: GW404 NOT_FOUND when the caller does not see it, GW400 KEY_IMMUTABLE when it would move the row''s key under these names, else GW403 WRITE_DENIED.';
grant execute on function service.refuse_unaffected(request jsonb, visible boolean, moved text[]) to service_user;

CREATE OR REPLACE FUNCTION service.refuse_violations(collection text, violations jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  messages jsonb := (select jsonb_agg(v -> 'message' order by n) from jsonb_array_elements(violations) with ordinality u (v, n));
  only_types boolean := (select bool_and(v ->> 'code' in ('type', 'conflict')) from jsonb_array_elements(violations) v);
begin
  perform service.fail(400, case when only_types then 'VALIDATION_INVALID_VALUE' else 'VALIDATION_CONSTRAINT' end,
    (select string_agg(m, ' ') from jsonb_array_elements_text(messages) m),
    jsonb_build_object('collection', collection, 'violations', violations, 'messages', messages));
end $function$;
comment on function service.refuse_violations(collection text, violations jsonb) is 'Refuses a body for all its broken rules [{field, code, message}]: GW400 VALIDATION_INVALID_VALUE when values are of the wrong type only, else VALIDATION_CONSTRAINT; details {collection, violations, messages}.';

CREATE OR REPLACE FUNCTION service.refused_columns(served service.collections, problem jsonb)
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH met AS (
          SELECT t.oid,
             c_1.conkey,
             i.indkey
            FROM (((( SELECT to_regclass(((quote_ident((refused_columns.problem ->> 'schema'::text)) || '.'::text) || quote_ident((refused_columns.problem ->> 'table'::text)))) AS oid) t
              LEFT JOIN pg_constraint c_1 ON (((c_1.conrelid = (t.oid)::oid) AND (c_1.conname = (refused_columns.problem ->> 'constraint'::text)))))
              LEFT JOIN pg_class x ON (((x.relname = (refused_columns.problem ->> 'constraint'::text)) AND (x.relkind = ANY (ARRAY['i'::"char", 'I'::"char"])))))
              LEFT JOIN pg_index i ON (((i.indexrelid = x.oid) AND (i.indrelid = (t.oid)::oid))))
           WHERE (((to_regclass(format('%I.%I'::text, (refused_columns.served).schema_name, (refused_columns.served).table_name)))::oid = (t.oid)::oid) OR ((to_regclass(format('%I.%I'::text, (refused_columns.served).schema_name, (refused_columns.served).table_name)))::oid = (pg_partition_root(t.oid))::oid))
         )
  SELECT array_agg(c.name) AS array_agg
    FROM ( SELECT (a.attname)::text AS attname
            FROM (pg_attribute a
              JOIN met m ON (((m.oid)::oid = a.attrelid)))
           WHERE ((NOT a.attisdropped) AND ((a.attname = (refused_columns.problem ->> 'column'::text)) OR (a.attnum = ANY (m.conkey)) OR (a.attnum = ANY ((m.indkey)::smallint[]))))
         UNION ALL
          SELECT (a.attname)::text AS attname
            FROM pg_attribute a
           WHERE ((a.attrelid = (to_regclass(format('%I.%I'::text, (refused_columns.served).schema_name, (refused_columns.served).table_name)))::oid) AND (a.atttypid = (to_regtype(((quote_ident((refused_columns.problem ->> 'schema'::text)) || '.'::text) || quote_ident((refused_columns.problem ->> 'type'::text)))))::oid))) c(name);
END;
comment on function service.refused_columns(served collections, problem jsonb) is 'The columns of the collection''s table that a constraint or NOT NULL error {schema, table, column, constraint, type} is about; null for another table''s.';

CREATE OR REPLACE FUNCTION service.reject_callback(collection text, stage text, status integer, message text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  raise exception using
    errcode = 'GW' || status,
    message = message,
    detail = json_build_object('stage', stage, 'path', collection)::text,
    hint = 'CALLBACK_REJECTED';
end $function$;
comment on function service.reject_callback(collection text, stage text, status integer, message text) is 'Refuses the write of a collection''s row at a stage (beforeSave, afterSave, beforeDelete, afterDelete): GW400 or GW403 CALLBACK_REJECTED with {stage, path}. Called by the generated triggers, as whoever writes.';
grant execute on function service.reject_callback(collection text, stage text, status integer, message text) to service_user;

CREATE OR REPLACE FUNCTION service.related_condition(relation service.relations, alias text, field text, condition jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  target_alias text := alias || 'x';
  column_name text := split_part(field, '->', 1);
  negated text := (service.operand(relation.name || '.' || column_name, condition)).negated;
  property service.properties := service.find_property(relation.target, column_name);
begin
  if relation.kind = 'via' then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER', format('Fields of the relation %s cannot be filtered.', relation.name),
      jsonb_build_object('field', relation.name || '.' || column_name, 'collection', relation.collection, 'relation', relation.name, 'kind', relation.kind));
  end if;
  perform service.require_relation_readable(relation, roles);
  -- A second hop is a field that the target has not.
  if property.name is null then
    perform service.fail(400, 'UNKNOWN_FILTER_FIELD', format('%s, which %s.%s leads to, has no field %s.', relation.target, relation.collection, relation.name, column_name),
      jsonb_build_object('field', relation.name || '.' || column_name, 'collection', relation.collection, 'relation', relation.name,
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
 SELECT (
         CASE
             WHEN ((relation_from.relation).junction_table IS NULL) THEN format('%I.%I %s where %s'::text, c.schema_name, c.table_name, relation_from.target_alias, service.column_pairs(relation_from.target_alias, (relation_from.relation).target_columns, service.equals(relation_from.relation, false), relation_from.source_alias, (relation_from.relation).local_columns))
             ELSE format('%I.%I %5$sj join %3$I.%4$I %5$s on %6$s where %7$s'::text, (relation_from.relation).junction_schema, (relation_from.relation).junction_table, c.schema_name, c.table_name, relation_from.target_alias, service.column_pairs(relation_from.target_alias, (relation_from.relation).target_columns, service.equals(relation_from.relation, false), (relation_from.target_alias || 'j'::text), (relation_from.relation).junction_target), service.column_pairs((relation_from.target_alias || 'j'::text), (relation_from.relation).junction_source, service.equals(relation_from.relation, true), relation_from.source_alias, (relation_from.relation).local_columns))
         END || service.live((relation_from.relation).target, relation_from.target_alias))
    FROM service.collections c
   WHERE (c.slug = (relation_from.relation).target);
END;
comment on function service.relation_from(relation relations, source_alias text, target_alias text) is 'SQL text after FROM that reaches the related rows (alias target) of one row (alias source), with its WHERE begun. Deleted ones that are kept are not among them.';

CREATE OR REPLACE FUNCTION service.reload()
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pg_notify('service_catalog'::text, 'ddl'::text) AS pg_notify;
END;
comment on function service.reload() is 'Asks every gateway to look at the tables again. Needed after DDL only where service.watch_ddl() returned false.';

CREATE OR REPLACE FUNCTION service.remove(collection text, id text, claims jsonb DEFAULT service.service_claims(), hard boolean DEFAULT false)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 SELECT service.change((jsonb_build_object('op', 'delete', 'path', jsonb_build_array(collection, id)) ||
         CASE
             WHEN hard THEN '{"hard": true}'::jsonb
             ELSE '{}'::jsonb
         END), claims) AS change;
END;
comment on function service.remove(collection text, id text, claims jsonb, hard boolean) is 'What DELETE /data/<collection>/<id> does. claims: the caller, by default the service key. hard: as ?hard=true. Errors as service.write.';

CREATE OR REPLACE FUNCTION service.require_aggregate_names(collection text, shape jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  twice text := (
    select v.name from (
      select p.name from jsonb_array_elements_text(shape -> 'groupBy') g (field), service.find_property(collection, g.field) p
      union all
      select service.aggregate_alias(a.value) from jsonb_array_elements(shape -> 'select') a (value)) v
    group by v.name having count(*) > 1 limit 1);
begin
  if twice is not null then
    perform service.fail(400, 'INVALID_AGGREGATE_SELECT', format('Two of the values would be called %s in the answer; ask for one of them.', twice),
      jsonb_build_object('field', twice, 'collection', collection));
  end if;
end $function$;
comment on function service.require_aggregate_names(collection text, shape jsonb) is 'Nothing, or GW400 INVALID_AGGREGATE_SELECT {field, collection} when two of the groups and aggregates of a request have one name in its answer: a group by a column count beside count().';

CREATE OR REPLACE FUNCTION service.require_cursor(collection text, shape jsonb, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  code text;
begin
  if service.sorts_by_score(collection, shape) then
    perform service.fail(400, 'SCORE_CURSOR_UNSUPPORTED', 'No cursor (after, startAfter) can continue an order by _score; use offset or page.', '{"field": "_score"}');
  end if;
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
end $function$;
comment on function service.require_cursor(collection text, shape jsonb, roles text[]) is 'Nothing, or GW400 SCORE_CURSOR_UNSUPPORTED {field} when relevance is among the sort keys, CURSOR_ORDER_MISMATCH when shape.after was issued under another order than shape.orderBy, INVALID_CURSOR when it names a field that cannot be sorted by (any more).';

CREATE OR REPLACE FUNCTION service.require_known_fields(served service.collections, sent text[], roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.require_known_fields(served collections, sent text[], roles text[]) is 'Nothing, or GW400 VALIDATION_UNKNOWN_FIELDS for names that are no field of the collection, RELATION_NOT_WRITABLE for relations that lead one way, GW501 NOT_IMPLEMENTED for relations that have no single column here. Details {collection, fields}.';

CREATE OR REPLACE FUNCTION service.require_open_fields(served service.collections, op text, sent text[], roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.require_open_fields(served collections, op text, sent text[], roles text[]) is 'Nothing, or GW400 VALIDATION_EXCLUDED_FIELDS for what nobody may write, FIELD_NOT_WRITABLE for what these roles may not; details as service.violation_details.';

CREATE OR REPLACE FUNCTION service.require_path_readable(path jsonb, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  reached text := path ->> 0;
  relation service.relations;
begin
  for i in 2 .. jsonb_array_length(path) - 1 by 2 loop
    relation := service.find_relation(reached, path ->> i);
    perform service.require_relation_readable(relation, roles);
    reached := relation.target;
  end loop;
end $function$;
comment on function service.require_path_readable(path jsonb, roles text[]) is 'Nothing, or GW400 FIELD_NOT_READABLE when a nested path [slug, id, relation, …] (service.path_collection has seen that it is one) follows a relation that these roles may not.';

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
  property service.properties;
begin
  for property in select * from service.link_properties(relation) loop
    perform service.require_readable(property, roles);
  end loop;
end $function$;
comment on function service.require_relation_readable(relation relations, roles text[]) is 'Nothing, or GW400 FIELD_NOT_READABLE when these roles may not read a column that the relation joins by, on either side.';

CREATE OR REPLACE FUNCTION service.require_response_fields(collection text, fields jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.require_response_fields(collection text, fields jsonb) is 'Nothing, or GW400 UNKNOWN_RESPONSE_FIELD {field, collection} when a write asks to be answered with a field that is not there.';

CREATE OR REPLACE FUNCTION service.required_message(field text, attributes jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE((attributes ->> 'requiredMessage'::text), ((attributes -> 'validation'::text) ->> 'requiredMessage'::text), (field || ' is required.'::text));
comment on function service.required_message(field text, attributes jsonb) is 'What is said when a required field is missing: the property''s own words, if it has any.';

CREATE OR REPLACE FUNCTION service.restore_settings(settings jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config(k.key, coalesce(nullif(k.value, ''), (select s.boot_val from pg_catalog.pg_settings s where s.name = k.key), ''), true)
  from jsonb_each_text(settings) k;
end $function$;
comment on function service.restore_settings(settings jsonb) is 'Puts back, for the rest of the transaction, what service.kept_settings has kept: the role, who the caller is, and other settings.';
grant execute on function service.restore_settings(settings jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.returned_columns(collection text, key text[], names text[], stored jsonb, sent jsonb, returned jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.returned_columns(collection text, key text[], names text[], stored jsonb, sent jsonb, returned jsonb) is 'Of what a beforeSave callback returned, the columns that it changes. key: the key''s columns, names: their properties. GW400 KEY_IMMUTABLE when an update would get another key, GW500 when a name is no column. Called by the generated triggers, as whoever writes.';
grant execute on function service.returned_columns(collection text, key text[], names text[], stored jsonb, sent jsonb, returned jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.role_faults(login text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT format('%I %s'::text, r.rolname,
         CASE
             WHEN r.rolsuper THEN 'is a superuser'::text
             ELSE 'bypasses row security'::text
         END) AS format
    FROM pg_roles r
   WHERE ((r.rolname = ANY (ARRAY[(role_faults.login)::name, 'service_user'::name])) AND (r.rolsuper OR r.rolbypassrls))
 UNION ALL
  SELECT format('service_user has the privileges of %I'::text, r.rolname) AS format
    FROM pg_roles r
   WHERE ((r.rolname <> 'service_user'::name) AND pg_has_role('service_user'::name, r.oid, 'usage'::text))
 UNION ALL
  SELECT format('service_user owns %s, whose policies therefore do not hold for it'::text, (c.oid)::regclass) AS format
    FROM (pg_class c
      JOIN pg_roles r ON ((r.oid = c.relowner)))
   WHERE ((r.rolname = 'service_user'::name) AND (c.relkind = ANY (ARRAY['r'::"char", 'p'::"char"])) AND (NOT c.relforcerowsecurity));
END;
comment on function service.role_faults(login text) is 'Why row security would not hold for a lane that logs in as this role: attributes of the login or of service_user, roles whose privileges service_user has, tables that it owns. None when all is well.';

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
  -- A distinct read may name excluded columns alone.
  return coalesce((
    select string_agg(format('%s as %I', service.column_value(format('%s.%I', alias, p.column_name), p.sql_type), p.name), ', ' order by p.position)
    from service.properties p
    join service.collections c on c.slug = p.collection
    where p.collection = row_columns.collection
      and not p.excluded
      and service.readable(p, roles)
      and (node -> 'fields' is null or (p.name = any (c.key) and not node ? 'distinct') or node -> 'fields' ?| array[p.name, p.column_name])
      and not p.name = any (included)), '');
end $function$;
comment on function service.row_columns(collection text, alias text, node jsonb, roles text[]) is 'SQL text of the columns of a row under their wire names, as these roles may read them and as fields asks. GW400 UNKNOWN_FIELD {field, collection}, FIELD_NOT_READABLE.';

CREATE OR REPLACE FUNCTION service.row_tag(collection text, alias text, roles text[])
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT format('to_hex(hashtextextended(%s, %L))'::text,
         CASE
             WHEN (r.relkind = 'v'::"char") THEN format('row(%s)::text'::text, string_agg(format('%s.%I'::text, row_tag.alias, p.column_name), ', '::text ORDER BY p."position"))
             ELSE format('%s.%I::text'::text, row_tag.alias, (service.unused_prefix(row_tag.collection) || 'xmin'::text))
         END, hashtextextended(concat_ws(' '::text, ( SELECT s.system_identifier
            FROM pg_control_system() s(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified)), ( SELECT d.oid
            FROM pg_database d
           WHERE (d.datname = current_database())), r.oid, jsonb_agg(jsonb_build_array(p.name, p.column_name, p.sql_type) ORDER BY p."position")), (0)::bigint)) AS format
    FROM ((service.collections c
      JOIN pg_class r ON ((r.oid = (to_regclass(format('%I.%I'::text, c.schema_name, c.table_name)))::oid)))
      JOIN service.properties p ON (((p.collection = c.slug) AND (NOT p.excluded) AND service.readable(p.*, row_tag.roles))))
   WHERE (c.slug = row_tag.collection)
   GROUP BY r.relkind, r.oid;
END;
comment on function service.row_tag(collection text, alias text, roles text[]) is 'SQL text of the tag of a stored row, hexadecimal, for rows that have service.row_version beside their columns: it changes with every write to the row, and differs between callers who read different columns. The API sends it as ETag.';

CREATE OR REPLACE FUNCTION service.row_version(collection text, alias text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (r.relkind = 'v'::"char") THEN ''::text
             ELSE format(', %s.xmin as %I'::text, row_version.alias, (service.unused_prefix(row_version.collection) || 'xmin'::text))
         END AS format
    FROM (service.collections c
      JOIN pg_class r ON ((r.oid = (to_regclass(format('%I.%I'::text, c.schema_name, c.table_name)))::oid)))
   WHERE (c.slug = row_version.collection);
END;
comment on function service.row_version(collection text, alias text) is 'SQL text (beginning with a comma) of what rows carry beside their columns so that service.row_tag can tell their version; '''' for views, which have none.';

CREATE OR REPLACE FUNCTION service.rule_operations(rule jsonb)
 RETURNS TABLE(operation text, several boolean)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH named AS (
          SELECT DISTINCT o.value AS o
            FROM jsonb_array_elements_text(
                 CASE jsonb_typeof((rule_operations.rule -> 'operations'::text))
                     WHEN 'array'::text THEN (rule_operations.rule -> 'operations'::text)
                     ELSE jsonb_build_array(COALESCE((rule_operations.rule ->> 'operation'::text), 'all'::text))
                 END) o(value)
           WHERE (o.value = ANY (ARRAY['select'::text, 'insert'::text, 'update'::text, 'delete'::text, 'all'::text]))
         )
  SELECT n.o,
     ( SELECT (count(*) > 1)
            FROM named)
    FROM named n;
END;
comment on function service.rule_operations(rule jsonb) is 'The operations that a security rule is for; all when it names none.';

CREATE OR REPLACE FUNCTION service.rule_predicate(collection text, alias text, rule jsonb, clause text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH form AS (
          SELECT
                 CASE
                     WHEN (rule_predicate.rule ? 'condition'::text) THEN NULL::text
                     WHEN (rule_predicate.rule ? 'ownerField'::text) THEN (((('('::text || rule_predicate.alias) || '.'::text) || quote_ident(service.field_column(rule_predicate.collection, (rule_predicate.rule ->> 'ownerField'::text)))) || ')::text = (select service.uid())'::text)
                     WHEN ((rule_predicate.rule ->> 'access'::text) = 'public'::text) THEN 'true'::text
                     WHEN ((rule_predicate.rule ? 'using'::text) OR (rule_predicate.rule ? 'withCheck'::text)) THEN service.rule_sql(rule_predicate.collection, rule_predicate.alias,
                     CASE rule_predicate.clause
                         WHEN 'check'::text THEN COALESCE((rule_predicate.rule ->> 'withCheck'::text), (rule_predicate.rule ->> 'using'::text))
                         ELSE (rule_predicate.rule ->> 'using'::text)
                     END)
                     WHEN ((NOT (rule_predicate.rule ? 'access'::text)) AND (rule_predicate.rule ? 'roles'::text)) THEN 'true'::text
                     ELSE NULL::text
                 END AS predicate,
                 CASE
                     WHEN (rule_predicate.rule ? 'roles'::text) THEN format('(select string_to_array(service.roles(), '','') && %L::text[])'::text, ARRAY( SELECT jsonb_array_elements_text((rule_predicate.rule -> 'roles'::text)) AS jsonb_array_elements_text))
                     ELSE NULL::text
                 END AS role_test
         )
  SELECT
         CASE
             WHEN (f.predicate IS NULL) THEN 'false'::text
             WHEN (f.role_test IS NULL) THEN f.predicate
             WHEN (f.predicate = 'true'::text) THEN f.role_test
             ELSE (((f.role_test || ' and ('::text) || f.predicate) || ')'::text)
         END AS "case"
    FROM form f;
END;
comment on function service.rule_predicate(collection text, alias text, rule jsonb, clause text) is 'A security rule as a boolean SQL expression. alias: SQL text of what names the judged row; clause: using or check.';

CREATE OR REPLACE FUNCTION service.rule_sql(collection text, alias text, sql text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
end $function$;
comment on function service.rule_sql(collection text, alias text, sql text) is 'The SQL of a rule as a policy needs it: {field} as a column of alias (SQL text), auth.uid(), auth.roles(), auth.jwt() as (select service.…()). An unknown {field} stays, so that the policy is refused.';

CREATE OR REPLACE FUNCTION service.run(request json, claims jsonb, prefix text DEFAULT ''::text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO, YMD'
 SET "IntervalStyle" TO 'postgres'
 SET extra_float_digits TO '1'
 SET jit TO 'off'
AS $function$
declare
  hoisted record := service.hoist(request);
  compiled record := service.compile(hoisted.shape, service.claimed_roles(claims));
  before jsonb := service.kept_settings(case when hoisted.shape ? 'vector' then '{hnsw.ef_search,hnsw.iterative_scan,ivfflat.iterative_scan}' else '{}' end::text[]);
  line text;
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
  perform service.restore_settings(before);
exception when others then
  -- The subtransaction took the settings back; a prepared statement survives it.
  if exists (select from pg_catalog.pg_prepared_statements where name = 'service_run') then
    deallocate service_run;
  end if;
  raise;
end $function$;
comment on function service.run(request json, claims jsonb, prefix text) is 'Runs a request {op, path, …} as the caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}): the body the API would send; with prefix ''explain'' its plan.';

CREATE OR REPLACE FUNCTION service.run_planned(name text, statement text, first text, second text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  answer text;
begin
  if name is null then
    execute statement into answer using first, second;
  else
    execute format('execute %I (%L, %L)', name, first, second) into answer;
  end if;
  return answer;
end $function$;
comment on function service.run_planned(name text, statement text, first text, second text) is 'Runs a statement of a write plan with its two parameters, under its prepared name when it has one: the first column of its first row as text, null without a row.';
grant execute on function service.run_planned(name text, statement text, first text, second text) to service_user;

CREATE OR REPLACE FUNCTION service.runs_as_caller(options text[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT COALESCE(bool_or((o.option_value)::boolean), false) AS "coalesce"
    FROM pg_options_to_table(runs_as_caller.options) o(option_name, option_value)
   WHERE (o.option_name = 'security_invoker'::text);
END;
comment on function service.runs_as_caller(options text[]) is 'Whether a view with these options (pg_class.reloptions) runs with the rights of whoever reads it, under their row security: security_invoker.';

CREATE OR REPLACE FUNCTION service.same_default(stored text, wanted text, type text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
end $function$;
comment on function service.same_default(stored text, wanted text, type text) is 'Whether a column''s stored default means the wanted expression; null when that cannot be told.';

CREATE OR REPLACE FUNCTION service.same_type(wanted text, type oid, modifier integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN CASE WHEN (wanted = format_type(type, modifier)) THEN true WHEN (wanted = ANY (ARRAY['smallserial'::text, 'serial'::text, 'bigserial'::text])) THEN (format_type(type, NULL::integer) = CASE wanted WHEN 'smallserial'::text THEN 'smallint'::text WHEN 'serial'::text THEN 'integer'::text ELSE 'bigint'::text END) ELSE (((to_regtype(wanted))::oid = type) AND (COALESCE(regexp_replace(regexp_replace("substring"(wanted, '\(([^()]*)\)'::text), '\s'::text, ''::text, 'g'::text), '^(\d+)$'::text, CASE type WHEN 'numeric'::regtype THEN '\1,0'::text ELSE '\1'::text END), CASE WHEN ((type = ('character'::regtype)::oid) AND (wanted <> 'bpchar'::text)) THEN '1'::text ELSE NULL::text END, ''::text) = COALESCE("substring"(format_type(type, modifier), '\(([^()]*)\)'::text), ''::text))) END;
comment on function service.same_type(wanted text, type oid, modifier integer) is 'Whether a type, as DDL writes it, is that of a column (atttypid, atttypmod).';

CREATE OR REPLACE FUNCTION service.scalar_value(expression text, sql_type text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (sql_type = 'timestamp with time zone'::text) THEN format('case when isfinite(%1$s) then to_char(%1$s at time zone ''UTC'', case when %1$s < ''0001-01-01 00:00+00'' then ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z BC"'' else ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'' end) end'::text, expression) WHEN (sql_type = 'timestamp without time zone'::text) THEN format('case when isfinite(%1$s) then to_char(%1$s, case when %1$s < ''0001-01-01'' then ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z BC"'' else ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'' end) end'::text, expression) WHEN (sql_type = 'date'::text) THEN format('case when isfinite(%1$s) then %1$s end'::text, expression) WHEN (sql_type = ANY (ARRAY['numeric'::text, 'real'::text, 'double precision'::text])) THEN format('case when %1$s < ''Infinity'' and %1$s > ''-Infinity'' then %1$s end'::text, expression) WHEN (sql_type = 'money'::text) THEN (expression || '::numeric'::text) WHEN (sql_type = 'bytea'::text) THEN format('translate(encode(%s, ''base64''), chr(10), '''')'::text, expression) WHEN (sql_type ~ '(^|\.)(vector|halfvec)$'::text) THEN (expression || '::text::json'::text) WHEN (sql_type = ANY (ARRAY['smallint'::text, 'integer'::text, 'bigint'::text, 'boolean'::text, 'text'::text, 'character varying'::text, 'bpchar'::text, 'uuid'::text, 'inet'::text, 'json'::text, 'jsonb'::text])) THEN expression ELSE (expression || '::text'::text) END;
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
    select format(' and exists (select from %I.%I %s%s where %s%s%s%s)', c.schema_name, c.table_name, parent_alias,
      case when relation.junction_table is null then '' else format(', %I.%I %sj', relation.junction_schema, relation.junction_table, parent_alias) end,
      case when relation.junction_table is null then service.column_pairs(alias, relation.target_columns, service.equals(relation, false), parent_alias, relation.local_columns)
        else service.column_pairs(alias, relation.target_columns, service.equals(relation, false), parent_alias || 'j', relation.junction_target) || ' and '
          || service.column_pairs(parent_alias || 'j', relation.junction_source, service.equals(relation, true), parent_alias, relation.local_columns) end,
      service.key_predicate(parent, parent_alias, path ->> (depth - 2)),
      service.live(parent, parent_alias),
      coalesce(service.scope(path - (depth - 1) - (depth - 2), parent_alias), ''))
    from service.collections c where c.slug = parent);
end $function$;
comment on function service.scope(path jsonb, alias text) is 'SQL text (beginning with and) that holds the rows of a nested path [slug, id, relation, …] to those its parents reach; null for a root path.';

CREATE OR REPLACE FUNCTION service.score_columns(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  block jsonb;
begin
  if shape ? 'vector' or not service.is_ranked(collection, shape) then
    return '';
  end if;
  block := service.readable_search(collection, roles);
  return concat(
    format(', %s as "_score"', service.search_score(block, block ->> 'vector', block ->> 'folded')),
    case when (shape -> 'search' ->> 'explain')::boolean then format(', %s as "_matches"', service.search_matches(collection, block)) end);
end $function$;
comment on function service.score_columns(collection text, shape jsonb, roles text[]) is 'SQL text of the columns _score and, when asked for, _matches that a ranked search adds to a row t, beginning with a comma; '''' when there is none.';

CREATE OR REPLACE FUNCTION service.score_order(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  block jsonb := service.readable_search(collection, roles);
  score record;
begin
  select k.n, k.key ->> 'direction' as direction into score
  from jsonb_array_elements(shape -> 'orderBy') with ordinality k (key, n) where k.key ->> 'field' = '_score' order by k.n limit 1;
  return (
    select string_agg(s.expression, ', ' order by s.place)
    from (
      select score.n - 0.5 as place, format('%s %s', service.search_score(block, block ->> 'vector', block ->> 'folded'), score.direction) as expression
      union all
      select k.n, format('%s %s nulls %s', k.expression, k.direction, k.nulls)
      from service.order_keys(collection, 't', (select jsonb_agg(o.key order by o.n) from jsonb_array_elements(shape -> 'orderBy') with ordinality o (key, n) where o.key ->> 'field' <> '_score'), roles) k) s);
end $function$;
comment on function service.score_order(collection text, shape jsonb, roles text[]) is 'SQL text after ORDER BY of a ranked search that has _score among its sort keys.';

CREATE OR REPLACE FUNCTION service.seal_policy(relation regclass, name text, meaning text, origin text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('comment on policy %I on %s is %L', name, relation, format('Generated from %s. meaning:%s state:%s version:%s', origin, meaning,
    service.policy_state((select p.oid from pg_catalog.pg_policy p where p.polrelid = relation and p.polname = name)),
    current_setting('server_version_num')::integer / 10000));
end $function$;
comment on function service.seal_policy(relation regclass, name text, meaning text, origin text) is 'Marks a policy that was just made as generated, with hashes of what it was made from and of what it says.';

CREATE OR REPLACE FUNCTION service.search_block(collection text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH declared AS (
          SELECT (c.definition -> 'search'::text) AS search,
             parse_ident((c.definition #>> '{search,language}'::text[])) AS language
            FROM service.collections c
           WHERE ((c.slug = search_block.collection) AND (jsonb_typeof((c.definition -> 'search'::text)) = 'object'::text))
         ), part AS (
          SELECT d.search,
             l.schema_name,
             l.name,
             (((d.search ->> 'unaccent'::text))::boolean AND (service.extension_schema('unaccent'::text) IS NOT NULL)) AS folds,
             ((d.search ->> 'mode'::text) = 'hybrid'::text) AS hybrid,
             (((d.search ->> 'fuzzy'::text))::boolean AND (service.extension_schema('pg_trgm'::text) IS NOT NULL)) AS fuzzy
            FROM (declared d
              LEFT JOIN LATERAL ( SELECT (n.nspname)::text AS schema_name,
                     (c.cfgname)::text AS name
                    FROM (pg_ts_config c
                      JOIN pg_namespace n ON ((n.oid = c.cfgnamespace)))
                   WHERE ((c.cfgname = d.language[cardinality(d.language)]) AND
                         CASE cardinality(d.language)
                             WHEN 1 THEN (n.nspname = ANY (ARRAY['pg_catalog'::name, 'public'::name]))
                             ELSE (n.nspname = d.language[1])
                         END)
                   ORDER BY (n.nspname = 'pg_catalog'::name) DESC
                  LIMIT 1) l ON (true))
         )
  SELECT (p.search || jsonb_build_object('language', format('%I.%I'::text, COALESCE(p.schema_name, 'pg_catalog'::text), COALESCE(p.name, 'simple'::text)), 'config',
         CASE
             WHEN p.folds THEN format('service.%I'::text, service.short_name(concat_ws('_'::text, NULLIF(p.schema_name, 'pg_catalog'::text), p.name), '_unaccent'::text))
             ELSE format('%I.%I'::text, COALESCE(p.schema_name, 'pg_catalog'::text), COALESCE(p.name, 'simple'::text))
         END, 'folds', (p.folds OR (p.hybrid AND (service.extension_schema('unaccent'::text) IS NOT NULL))), 'hybrid', p.hybrid, 'fuzzy', p.fuzzy, 'trigrams',
         CASE
             WHEN (p.hybrid OR p.fuzzy) THEN service.extension_schema('pg_trgm'::text)
             ELSE NULL::text
         END, 'textColumn',
         CASE
             WHEN (p.hybrid OR p.fuzzy) THEN service.short_name((p.search ->> 'column'::text), '_text'::text)
             ELSE NULL::text
         END))
    FROM part p;
END;
comment on function service.search_block(collection text) is 'A collection''s search block {fields: [{path, weight}], column, mode, unaccent, fuzzy, fuzzyThreshold} with what it comes to on this server: language and config (text search configurations, quoted; config folds accents when unaccent does), folds (whether the text for substrings and trigrams folds accents), hybrid, fuzzy, trigrams (the schema of pg_trgm), textColumn. Null without a search block.';

CREATE OR REPLACE FUNCTION service.search_condition(block jsonb, vector text, folded text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN concat(format('(%s @@ ctx.query'::text, vector), CASE WHEN ((block ->> 'hybrid'::text))::boolean THEN format(' or (%1$s like ctx.patterns[1] and %1$s like all (ctx.patterns))'::text, folded) ELSE NULL::text END, CASE WHEN ((block ->> 'fuzzy'::text))::boolean THEN format(' or (%1$s operator(%2$I.%%>>) ctx.terms[1] and %1$s operator(%2$I.%%>>) all (ctx.terms))'::text, folded, (block ->> 'trigrams'::text)) ELSE NULL::text END, ')');
comment on function service.search_condition(block jsonb, vector text, folded text) is 'SQL text of whether a row is found: its tsvector matches, or in a hybrid search its folded text holds every term, or in a fuzzy one words like every term.';

CREATE OR REPLACE FUNCTION service.search_context(block jsonb, parameter text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN concat(format('service.search_query(%L::regconfig, %s, true) as query'::text, (block ->> 'config'::text), parameter), CASE WHEN ((block ->> 'hybrid'::text))::boolean THEN format(', service.search_substrings(%s) as patterns'::text, service.search_folded(parameter, block)) ELSE NULL::text END, CASE WHEN ((block ->> 'fuzzy'::text))::boolean THEN format(', service.search_terms(%s) as terms, set_config(''pg_trgm.strict_word_similarity_threshold'', %L, true) as threshold'::text, service.search_folded(parameter, block), (block ->> 'fuzzyThreshold'::text)) ELSE NULL::text END);
comment on function service.search_context(block jsonb, parameter text) is 'SQL text of what a ranked search works out once: ctx.query and, as the block says, ctx.patterns and ctx.terms; the threshold of the operator of pg_trgm is a setting of the transaction.';

CREATE OR REPLACE FUNCTION service.search_document(collection text, path text, prefix text, length integer)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT format('left(%s, %s)'::text,
         CASE
             WHEN (p.sql_type = ANY (ARRAY['json'::text, 'jsonb'::text])) THEN format('service.texts_within(%s%s%s)'::text, c.name,
             CASE p.sql_type
                 WHEN 'json'::text THEN '::jsonb'::text
                 ELSE NULL::text
             END, ((' #> '::text || quote_literal((NULLIF(k.keys, '{}'::text[]))::text)) || '::text[]'::text))
             WHEN (p.sql_type = 'text[]'::text) THEN format('service.listed_text(%s)'::text, c.name)
             ELSE format('coalesce(%s%s, '''')'::text, c.name,
             CASE
                 WHEN (p.sql_type <> 'text'::text) THEN '::text'::text
                 ELSE NULL::text
             END)
         END, search_document.length) AS format
    FROM ((service.properties p
      CROSS JOIN LATERAL ( SELECT (search_document.prefix || quote_ident(p.column_name)) AS name) c)
      CROSS JOIN LATERAL ( SELECT (string_to_array(search_document.path, '.'::text))[2:] AS keys) k)
   WHERE ((p.collection = search_document.collection) AND (p.name = split_part(search_document.path, '.'::text, 1)));
END;
comment on function service.search_document(collection text, path text, prefix text, length integer) is 'SQL text of what is searched of one field (a text, a list of texts, a map or a path in one), at most so many characters, never null. prefix: '''' or an alias with its dot.';

CREATE OR REPLACE FUNCTION service.search_documents(collection text, block jsonb, prefix text)
 RETURNS TABLE(n bigint, path text, weight text, document text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT f.n,
     (f.field ->> 'path'::text),
     (f.field ->> 'weight'::text),
     service.search_document(search_documents.collection, (f.field ->> 'path'::text), search_documents.prefix, (150000 / GREATEST(1, jsonb_array_length((search_documents.block -> 'fields'::text))))) AS search_document
    FROM jsonb_array_elements((search_documents.block -> 'fields'::text)) WITH ORDINALITY f(field, n);
END;
comment on function service.search_documents(collection text, block jsonb, prefix text) is 'The fields of a search block (service.search_block) with the SQL text of what is searched of each: together at most 150,000 characters a row.';

CREATE OR REPLACE FUNCTION service.search_finder(collection text)
 RETURNS TABLE(name text, body text)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT service.short_name(c.slug, '__search'::text) AS short_name,
     format('
begin
  return array(
    select t.ctid
    from (select %s offset 0) ctx
    cross join lateral (select t.ctid from %I.%I t where %s offset 0) t);
end '::text, service.search_context(b.block, '$1'::text), c.schema_name, c.table_name, service.search_condition(b.block, ('t.'::text || quote_ident((b.block ->> 'column'::text))), ('t.'::text || quote_ident((b.block ->> 'textColumn'::text))))) AS format
    FROM (service.collections c
      CROSS JOIN LATERAL ( SELECT service.search_block(c.slug) AS block
          OFFSET 0) b)
   WHERE ((c.slug = search_finder.collection) AND (b.block IS NOT NULL));
END;
comment on function service.search_finder(collection text) is 'The generated function that finds the rows of a ranked search by its indexes: its name in schema service, and its PL/pgSQL.';

CREATE OR REPLACE FUNCTION service.search_folded(expression text, block jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN format(CASE WHEN ((block ->> 'folds'::text))::boolean THEN 'lower(service.unaccented(%s))'::text ELSE 'lower(%s)'::text END, expression);
comment on function service.search_folded(expression text, block jsonb) is 'SQL text of a text as substrings and trigrams of a search block compare it: in lower case, without accents where the block folds them.';

CREATE OR REPLACE FUNCTION service.search_matches(collection text, block jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT
         CASE count(*)
             WHEN 0 THEN '''[]''::json'::text
             ELSE format('(select coalesce(json_agg(json_build_object(''field'', m.field, ''snippet'', m.snippet) order by m.n), ''[]'') from (%s) m (n, field, snippet) where m.snippet is not null)'::text, string_agg(format('select %s, %L, service.search_snippet(%L::regconfig, ctx.any_query, %s, %s)'::text, d.n, d.path, (search_matches.block ->> 'config'::text), d.document,
             CASE
                 WHEN (h.condition IS NULL) THEN 'null'::text
                 ELSE format('array(select distinct w from regexp_split_to_table(%s, ''\s+'') w where %s)'::text, d.document, h.condition)
             END), ' union all '::text ORDER BY d.n))
         END AS format
    FROM (service.search_documents(search_matches.collection, search_matches.block, 't.'::text) d(n, path, weight, document)
      CROSS JOIN LATERAL ( SELECT NULLIF(concat_ws(' or '::text,
                 CASE
                     WHEN ((search_matches.block ->> 'hybrid'::text))::boolean THEN (service.search_folded('w'::text, search_matches.block) || ' like any (ctx.any_pattern)'::text)
                     ELSE NULL::text
                 END,
                 CASE
                     WHEN ((search_matches.block ->> 'fuzzy'::text))::boolean THEN format('exists (select from unnest(ctx.terms) term where %I.similarity(term, %s) >= %s)'::text, (search_matches.block ->> 'trigrams'::text), service.search_folded('w'::text, search_matches.block), ((search_matches.block ->> 'fuzzyThreshold'::text))::numeric)
                     ELSE NULL::text
                 END), ''::text) AS condition) h);
END;
comment on function service.search_matches(collection text, block jsonb) is 'SQL text of _matches of a row t: [{field, snippet}] for each field of the block (service.readable_search) that holds a hit, as declared.';

CREATE OR REPLACE FUNCTION service.search_meaning(remark text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "substring"(remark, '^Made for the search of .* meaning:([0-9a-f]{7})$'::text);
comment on function service.search_meaning(remark text) is 'The hash that a generated search column''s comment keeps of its expression (service.wanted_search_columns); null for the comment of a column that no search block made.';

CREATE OR REPLACE FUNCTION service.search_patterns(text text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(array_agg((('%'::text || regexp_replace(COALESCE(m.m[1], m.m[2]), '([%_\\])'::text, '\\\1'::text, 'g'::text)) || '%'::text)), '{}'::text[]) AS "coalesce"
    FROM regexp_matches(search_patterns.text, '"([^"]*)"|(\S+)'::text, 'g'::text) m(m)
   WHERE (COALESCE(m.m[1], m.m[2]) <> ''::text);
END;
comment on function service.search_patterns(text text) is 'The LIKE patterns of a search text, one a word or quoted phrase; a row must match every one of them somewhere.';
grant execute on function service.search_patterns(text text) to service_user;

CREATE OR REPLACE FUNCTION service.search_predicate(collection text, alias text, roles text[])
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (count(*) = 0) THEN ' and false'::text
             ELSE format(' and not exists (select from unnest(ctx.patterns) p where not coalesce(%s, false))'::text, string_agg(format('coalesce(%s.%I%s%s ilike p, false)'::text, search_predicate.alias, c.column_name,
             CASE
                 WHEN (c.sql_type = ANY (ARRAY['text'::text, 'character varying'::text, 'bpchar'::text])) THEN ''::text
                 ELSE '::text'::text
             END,
             CASE
                 WHEN service.takes_patterns(c.collection, c.column_name) THEN ''::text
                 ELSE ' collate pg_catalog."default"'::text
             END), ' or '::text ORDER BY c."position"))
         END AS format
    FROM service.properties c
   WHERE ((c.collection = search_predicate.collection) AND (c.type = 'string'::text) AND (NOT c.excluded) AND service.readable(c.*, search_predicate.roles) AND ((c.sql_type = ANY (ARRAY['text'::text, 'character varying'::text, 'bpchar'::text])) OR (c.sql_type ~ '^(.*\.)?citext$'::text)) AND (NOT (c.attributes ? 'enum'::text)));
END;
comment on function service.search_predicate(collection text, alias text, roles text[]) is 'SQL text (beginning with and) of a substring search: every pattern of ctx.patterns matches in some text column that these roles may read.';

CREATE OR REPLACE FUNCTION service.search_query(config regconfig, text text, every boolean)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET client_min_messages TO 'warning'
AS $function$
declare
  term record;
  part tsquery;
  found tsquery := '';
begin
  for term in select m[1] as phrase, m[2] as word from regexp_matches(text, '"([^"]*)"|(\S+)', 'g') m loop
    part := case when term.phrase is null then plainto_tsquery(config, term.word) else phraseto_tsquery(config, term.phrase) end;
    if numnode(part) > 0 then
      found := case when numnode(found) = 0 then part when every then found && part else found || part end;
    end if;
  end loop;
  return found;
end $function$;
comment on function service.search_query(config regconfig, text text, every boolean) is 'A search text as tsquery: all of its words and quoted phrases, or any of them. Empty, which matches nothing, when it holds only stop words.';
grant execute on function service.search_query(config regconfig, text text, every boolean) to service_user;

CREATE OR REPLACE FUNCTION service.search_score(block jsonb, vector text, folded text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN concat('(', CASE WHEN (((block ->> 'hybrid'::text))::boolean OR ((block ->> 'fuzzy'::text))::boolean) THEN format('case when %1$s @@ ctx.query then ts_rank(%1$s, ctx.query) else %2$s end'::text, vector, CASE WHEN ((block ->> 'hybrid'::text))::boolean THEN '0.001'::text ELSE '0'::text END) ELSE format('ts_rank(%s, ctx.query)'::text, vector) END, CASE WHEN ((block ->> 'fuzzy'::text))::boolean THEN format(' + (select coalesce(avg(%I.strict_word_similarity(term, %s)), 0) from unnest(ctx.terms) term)'::text, (block ->> 'trigrams'::text), folded) ELSE NULL::text END, ')::real');
comment on function service.search_score(block jsonb, vector text, folded text) is 'SQL text of _score: the rank of ts_rank, 0.001 for what only a substring found; a fuzzy search adds how like the terms are (0 to 1, on average).';

CREATE OR REPLACE FUNCTION service.search_snippet(config regconfig, query tsquery, document text, hits text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET client_min_messages TO 'warning'
AS $function$
declare
  hit text;
  snippet text;
  words text;
  trimmed constant text := '^[^[:alnum:]]+|[^[:alnum:]]+$';
begin
  foreach hit in array coalesce(hits[1:20], '{}') loop
    query := query || phraseto_tsquery(config, hit);
  end loop;
  document := translate(document, e'\x01\x02', '');
  snippet := ts_headline(config, document, query, e'StartSel="\x01", StopSel="\x02", MaxFragments=2, MaxWords=18, MinWords=6, ShortWord=0, FragmentDelimiter=" … "');
  if position(e'\x01' in snippet) = 0 then
    return null;
  end if;
  -- ts_headline begins and ends with a word.
  words := regexp_replace(translate(snippet, e'\x01\x02', ''), trimmed, '', 'g');
  document := regexp_replace(document, trimmed, '', 'g');
  snippet := concat(case when left(document, 12) <> left(words, 12) then '…' end, snippet, case when right(document, 12) <> right(words, 12) then '…' end);
  snippet := replace(replace(replace(replace(snippet, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;');
  return replace(replace(snippet, e'\x01', '<mark>'), e'\x02', '</mark>');
end $function$;
comment on function service.search_snippet(config regconfig, query tsquery, document text, hits text[]) is 'What surrounds the hits of a query in a text, as HTML: hits in <mark>, all else escaped, … for what is left out. hits: words of the text that are to count as well. Null without a hit.';
grant execute on function service.search_snippet(config regconfig, query tsquery, document text, hits text[]) to service_user;

CREATE OR REPLACE FUNCTION service.search_substrings(text text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(array_agg((('%'::text || regexp_replace(t.term, '([%_\\])'::text, '\\\1'::text, 'g'::text)) || '%'::text) ORDER BY t.n), '{}'::text[]) AS "coalesce"
    FROM unnest(service.search_terms(search_substrings.text)) WITH ORDINALITY t(term, n);
END;
comment on function service.search_substrings(text text) is 'The LIKE patterns of a search text, one a word or quoted phrase, the longest first.';
grant execute on function service.search_substrings(text text) to service_user;

CREATE OR REPLACE FUNCTION service.search_terms(text text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(array_agg(t.term ORDER BY (length(t.term)) DESC, t.term), '{}'::text[]) AS "coalesce"
    FROM ( SELECT DISTINCT COALESCE(m.m[1], m.m[2]) AS term
            FROM regexp_matches(search_terms.text, '"([^"]*)"|(\S+)'::text, 'g'::text) m(m)) t
   WHERE (TRIM(BOTH FROM t.term) <> ''::text);
END;
comment on function service.search_terms(text text) is 'The words and quoted phrases of a search text, each once, the longest first.';
grant execute on function service.search_terms(text text) to service_user;

CREATE OR REPLACE FUNCTION service.search_text(collection text, block jsonb, prefix text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT
         CASE count(*)
             WHEN 0 THEN ''''''::text
             ELSE service.search_folded(string_agg(d.document, ' || e''\n'' || '::text ORDER BY d.n), search_text.block)
         END AS search_folded
    FROM service.search_documents(search_text.collection, search_text.block, search_text.prefix) d(n, path, weight, document);
END;
comment on function service.search_text(collection text, block jsonb, prefix text) is 'SQL text of what substrings and trigrams of a search block are looked for in, over the columns of a row (prefix: '''' or an alias with its dot), immutable.';

CREATE OR REPLACE FUNCTION service.search_vector(collection text, block jsonb, prefix text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT
         CASE count(*)
             WHEN 0 THEN '''''::tsvector'::text
             WHEN 1 THEN min(v.vector)
             ELSE format('ts_delete(%s, '' '')'::text, string_agg(v.vector, format(' || %L::tsvector || '::text, ''' '':1') ORDER BY v.n))
         END AS format
    FROM ( SELECT d.n,
             format('setweight(to_tsvector(%L::regconfig, %s), %L)'::text, (search_vector.block ->> 'config'::text), d.document, d.weight) AS vector
            FROM service.search_documents(search_vector.collection, search_vector.block, search_vector.prefix) d(n, path, weight, document)) v;
END;
comment on function service.search_vector(collection text, block jsonb, prefix text) is 'SQL text of the tsvector of a search block over the columns of a row (prefix: '''' or an alias with its dot), immutable.';

CREATE OR REPLACE FUNCTION service.sent_fields(served service.collections, names text[])
 RETURNS TABLE(field text, relation_kind text, unwraps text, property service.properties)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT n.field,
     r.kind,
     t.name,
     p.property
    FROM (((unnest(sent_fields.names) n(field)
      LEFT JOIN service.relations r ON (((r.collection = (sent_fields.served).slug) AND (r.name = n.field))))
      LEFT JOIN service.properties t ON (((r.kind = 'belongsTo'::text) AND (cardinality(r.local_columns) = 1) AND (t.collection = r.target) AND (t.column_name = r.target_columns[1]))))
      LEFT JOIN LATERAL ( SELECT p_1.*::service.properties AS property,
                 CASE n.field
                     WHEN p_1.name THEN 1
                     WHEN p_1.column_name THEN 2
                     ELSE 3
                 END AS rank
            FROM service.properties p_1
           WHERE ((p_1.collection = (sent_fields.served).slug) AND (((n.field = p_1.name) OR (n.field = p_1.column_name)) OR ((t.name IS NOT NULL) AND (p_1.column_name = r.local_columns[1]))))
         UNION ALL
          SELECT service.undeclared_column(sent_fields.served, n.field) AS undeclared_column,
             4
           WHERE (NOT (sent_fields.served).strict_writes)
   ORDER BY 2
  LIMIT 1) p ON (true));
END;
comment on function service.sent_fields(served collections, names text[]) is 'What the names in a body mean: relation_kind when it is a relation''s name, unwraps = the field that stands for a related row sent as an object, property = the column that is written (null: none).';

CREATE OR REPLACE FUNCTION service.sent_record(body text, fields text[], types text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT format('jsonb_to_record(%s) r (%s)'::text, sent_record.body, string_agg(format('%I %s'::text, f.field, f.type), ', '::text ORDER BY f.n)) AS format
    FROM UNNEST(sent_record.fields, sent_record.types) WITH ORDINALITY f(field, type, n)
   WHERE (f.field IS NOT NULL)
  HAVING (count(*) > 0);
END;
comment on function service.sent_record(body text, fields text[], types text[]) is 'SQL text of a body (SQL text, jsonb) as one record r of these fields; null without fields.';

CREATE OR REPLACE FUNCTION service.service_claims()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{"jwt": {"sub": "service", "roles": ["admin"], "is_anonymous": false}, "uid": "service", "roles": "admin", "isAnonymous": false}'::jsonb;
comment on function service.service_claims() is 'The claims of the service key.';

CREATE OR REPLACE FUNCTION service.short_hash(meaning text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "left"(encode(sha256(convert_to(meaning, 'UTF8'::name)), 'hex'::text), 7);
comment on function service.short_hash(meaning text) is 'Seven hex digits that stand for a meaning in a name.';

CREATE OR REPLACE FUNCTION service.short_name(stem text, suffix text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (octet_length((stem || suffix)) <= 63) THEN (stem || suffix)
             ELSE ( SELECT ((("left"(short_name.stem, n.n) || '_'::text) || service.short_hash(short_name.stem)) || short_name.suffix)
                FROM generate_series(length(short_name.stem), 0, '-1'::integer) n(n)
               WHERE (octet_length("left"(short_name.stem, n.n)) <= ((63 - 8) - octet_length(short_name.suffix)))
              LIMIT 1)
         END;
END;
comment on function service.short_name(stem text, suffix text) is 'A name of at most 63 bytes: the stem and the suffix; a stem that is too long is cut (between characters) and gets seven hex digits that stand for the whole of it. The suffix is never cut.';

CREATE OR REPLACE FUNCTION service.shown_row(collection text, alias text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (NOT (EXISTS (SELECT FROM service.collections s WHERE ((s.slug = shown_row.collection) AND (s.callbacks ? 'afterRead'::text))))) THEN (alias || '.*'::text) ELSE (SELECT format('%I.%I(row_to_json(%s.*))'::text, c.function_schema, c.function_name, shown_row.alias) AS format FROM service.callbacks() c(schema_name, table_name, relation, collection, key, names, soft_delete, hook, suffix, trigger_name, events, function_schema, function_name, arguments, result, oid, fits) WHERE ((c.collection = shown_row.collection) AND (c.hook = 'afterRead'::text))) END;
comment on function service.shown_row(collection text, alias text) is 'SQL text of a row as to_json and json_agg take it: the row itself, or the JSON object it becomes when it is passed through the collection''s afterRead callback where it has one.';

CREATE OR REPLACE FUNCTION service.singular(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (name ~* 'people$'::text) THEN regexp_replace(name, 'people$'::text, 'person'::text, 'i'::text) WHEN (name ~* 'children$'::text) THEN regexp_replace(name, 'ren$'::text, ''::text, 'i'::text) WHEN (name ~* '(series|species|news)$'::text) THEN name WHEN (name ~* '[^aeiou]ies$'::text) THEN regexp_replace(name, 'ies$'::text, 'y'::text, 'i'::text) WHEN (name ~* '(ss|sh|ch|x|z)es$'::text) THEN regexp_replace(name, 'es$'::text, ''::text, 'i'::text) WHEN (name ~* '(ss|us|is)$'::text) THEN name WHEN (name ~* 's$'::text) THEN regexp_replace(name, 's$'::text, ''::text, 'i'::text) ELSE name END;
comment on function service.singular(name text) is 'The singular of an English plural: categories is category, addresses is address, status stays.';

CREATE OR REPLACE FUNCTION service.sort_aggregate(collection text, alias text, field text, roles text[], OUT expression text, OUT sql_type text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  parts text[] := regexp_match(field, '^\s*(count|min|max|sum|avg)\s*\(\s*([^.()]+?)\s*(?:\.([^()]+?))?\s*\)\s*$');
  relation service.relations := service.find_relation(collection, parts[2]);
  property service.properties := service.find_property(relation.target, parts[3]);
  value text := case when property.name is null then 'count(*)' else service.aggregate_call(parts[1], format('%sa.%I', alias, property.column_name), property) end;
begin
  if relation.name is not null and parts[3] is not null and property.name is null then
    perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s, which %s.%s leads to, has no field %s to sort by.', relation.target, collection, relation.name, parts[3]),
      jsonb_build_object('field', field, 'collection', collection, 'relation', relation.name, 'targetCollection', relation.target, 'validFields', service.valid_fields(relation.target, roles)));
  elsif relation.name is null then
    perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s has no %s to sort by.', collection, field),
      jsonb_build_object('field', field, 'collection', collection, 'validRelations', service.valid_relations(collection)));
  elsif relation.kind = 'via' or (parts[3] is null and parts[1] <> 'count') or value is null
    or (select cardinality(c.key) > 1 from service.collections c where c.slug = collection) then
    perform service.fail(400, 'ORDER_BY_FIELD_NOT_SORTABLE', format('%s cannot be sorted by %s.', collection, field),
      jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service.require_relation_readable(relation, roles);
  if property.name is not null then
    perform service.require_readable(property, roles);
  end if;
  expression := format('(select %s from %s)', value, service.relation_from(relation, alias, alias || 'a'));
  sql_type := case parts[1] when 'count' then 'bigint' when 'sum' then 'numeric' when 'avg' then 'numeric' else property.sql_type end;
end $function$;
comment on function service.sort_aggregate(collection text, alias text, field text, roles text[], OUT expression text, OUT sql_type text) is 'SQL text and type of a sort key fn(relation[.field]). GW400 UNKNOWN_ORDER_BY_FIELD, ORDER_BY_FIELD_NOT_SORTABLE, FIELD_NOT_READABLE.';

CREATE OR REPLACE FUNCTION service.sort_key(collection text, alias text, field text, roles text[], OUT expression text, OUT sql_type text, OUT nullable boolean, OUT property text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.sort_key(collection text, alias text, field text, roles text[], OUT expression text, OUT sql_type text, OUT nullable boolean, OUT property text) is 'What one key of an ordering sorts by: SQL text and type, whether it can be NULL, and the property when it is one. GW400 as service.sort_property and service.sort_aggregate.';

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
  if property.name is null and relation.name is null then
    perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s has no field %s to sort by.', collection, field),
      jsonb_build_object('field', field, 'collection', collection, 'validFields', service.valid_fields(collection, roles)));
  elsif property.name is null or property.type in ('map', 'vector', 'geopoint', 'binary') or property.sql_type in ('json', 'jsonb')
    or not service.is_sortable(property.sql_type) or not service.has_operator(property.sql_type, '<') then
    perform service.fail(400, 'ORDER_BY_FIELD_NOT_SORTABLE', format('%s cannot be sorted by %s.', collection, field),
      jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service.require_readable(property, roles);
  return property;
end $function$;
comment on function service.sort_property(collection text, field text, roles text[]) is 'The property that a sort key names: a column, or the foreign key of a belongsTo. GW400 UNKNOWN_ORDER_BY_FIELD, ORDER_BY_FIELD_NOT_SORTABLE (to-many relations, and types without an order), FIELD_NOT_READABLE.';

CREATE OR REPLACE FUNCTION service.sorts_by_score(collection text, shape jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (COALESCE(((shape -> 'orderBy'::text) @> '[{"field": "_score"}]'::jsonb), false) AND service.is_ranked(collection, shape));
comment on function service.sorts_by_score(collection text, shape jsonb) is 'Whether relevance is among the sort keys of a ranked search. No cursor can describe that order.';

CREATE OR REPLACE FUNCTION service.sql_type(type oid)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE service.base_type(type) WHEN 'character'::regtype THEN 'bpchar'::text WHEN 'character[]'::regtype THEN 'bpchar[]'::text WHEN 'bit'::regtype THEN '"bit"'::text WHEN 'bit[]'::regtype THEN '"bit"[]'::text ELSE format_type(service.base_type(type), NULL::integer) END;
comment on function service.sql_type(type oid) is 'The name to cast a value to, so that it has a column''s type: schema-qualified, without length, a domain''s base type.';

CREATE OR REPLACE FUNCTION service.stamp_body(names text[], types text[], stamps text[], soft_delete text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 WITH stamp AS (
          SELECT s.n,
             quote_ident(s.name) AS name,
             s.stamp,
                 CASE
                     WHEN (s.stamp ~~ 'on\_%'::text) THEN
                     CASE s.type
                         WHEN 'timestamp with time zone'::text THEN 'now()'::text
                         ELSE 'now() at time zone ''UTC'''::text
                     END
                     WHEN (s.type = 'uuid'::text) THEN 'case when caller ~ ''^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'' then caller::uuid end'::text
                     ELSE 'caller'::text
                 END AS value
            FROM UNNEST(stamp_body.names, stamp_body.types, stamp_body.stamps) WITH ORDINALITY s(name, type, stamp, n)
         ), assignment AS (
          SELECT string_agg(format('      new.%s := %s;'::text, a_1.name, a_1.value), '
'::text ORDER BY a_1.n) AS created,
             string_agg(format('      new.%s := %s;'::text, a_1.name,
                 CASE a_1.stamp
                     WHEN 'user_on_update'::text THEN a_1.value
                     ELSE ('old.'::text || a_1.name)
                 END), '
'::text ORDER BY a_1.n) FILTER (WHERE (a_1.stamp <> 'on_update'::text)) AS kept,
             string_agg(format('    new.%s := %s;'::text, a_1.name,
                 CASE
                     WHEN (stamp_body.soft_delete IS NULL) THEN a_1.value
                     ELSE format('case when old.%1$I is null and new.%1$I is not null then old.%2$s else %3$s end'::text, stamp_body.soft_delete, a_1.name, a_1.value)
                 END), '
'::text ORDER BY a_1.n) FILTER (WHERE (a_1.stamp = 'on_update'::text)) AS moved
            FROM stamp a_1
         )
  SELECT concat_ws('
'::text, '', 'declare', '  caller text := nullif(current_setting(''app.uid'', true), '''');', 'begin', '  -- A request never says a stamp. Who works on the table outside of one, a migration or a restore, may bring old ones along.', '  if caller is not null or current_user = ''service_user'' then', '    caller := nullif(caller, ''anonymous'');', '    if tg_op = ''INSERT'' then', a.created, '    else', COALESCE(a.kept, '      null;'::text), '    end if;', '  end if;', (('  if tg_op = ''UPDATE'' then
'::text || a.moved) || '
  end if;'::text), '  return new;', 'end ') AS concat_ws
    FROM assignment a;
END;
comment on function service.stamp_body(names text[], types text[], stamps text[], soft_delete text) is 'The PL/pgSQL of the trigger function that stamps columns of these names and types (without length): on_create, on_update (the time), user_on_create, user_on_update (the caller''s uid, null without a sign-in). soft_delete: the column that a soft delete sets, which moves no on_update.';

CREATE OR REPLACE FUNCTION service.statement_aggregate(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  groups text := service.group_columns(collection, shape, roles, false);
  source text := (
    select format('%I.%I t where true%s%s', c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  perform service.require_aggregate_names(collection, shape);
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || 'select concat(''{"data":'', coalesce(json_agg(g.json), ''[]''), ''}'') as body from ('
      || 'select to_json(d.*) as json, row_number() over () as n from (select %s%s from %s%s) d where ctx.ok) g%s) r',
    service.context_columns(collection, shape, roles),
    coalesce(service.group_columns(collection, shape, roles, true) || ', ', ''),
    service.aggregate_columns(collection, shape, roles),
    source,
    case when groups is null then '' else format(' group by %s order by %s limit %s%s', groups, service.aggregate_order(collection, shape, roles),
      shape -> 'limit' ->> 'bucket', coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '')) end,
    case when groups is null then '' else format(' where g.n <= $%s::bigint', shape -> 'limit' ->> 'param') end);
end $function$;
comment on function service.statement_aggregate(collection text, shape jsonb, roles text[]) is 'The statement of an aggregate: body = {"data":[{group fields, count, sum_total …}]}; one row without groupBy.';

CREATE OR REPLACE FUNCTION service.statement_count(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  counted text := (
    select format('%I.%I t where true%s%s', c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  if shape ? 'distinct' and shape ? 'fields' then
    perform service.row_columns(collection, 't', shape, roles);
    counted := format('(select %s from %s) t', service.page_columns(collection, shape), counted);
  end if;
  return format('select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral (select concat(''{"count":'', c.count, ''}'') as body from (select count(*) from %s) c where ctx.ok offset 0) r',
    service.context_columns(collection, shape, roles), counted);
end $function$;
comment on function service.statement_count(collection text, shape jsonb, roles text[]) is 'The statement of a count: body = {"count":128}; of a distinct read with fields, the combinations. GW400 as service.row_columns and service.distinct_properties.';

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
    select format('select t.*%s from %I.%I t where ctx.ok%s%s%s', service.row_version(collection, 't'), c.schema_name, c.table_name,
      service.key_predicate(collection, 't', path ->> -1), service.narrowing(collection, jsonb_set(shape, '{path}', path - -1), roles),
      coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  return format('select r.body, r.tag from (select service.enter($1) as ok%s offset 0) ctx cross join lateral (%sselect to_json(%s) as body, %s as tag from %s t%s cross join lateral (select %s) d offset 0) r',
    service.context_columns(collection, shape, roles),
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    service.shown_row(collection, 'd'),
    service.row_tag(collection, 't', roles),
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns);
end $function$;
comment on function service.statement_get(collection text, shape jsonb, roles text[]) is 'The statement of a single row: body is the row as a JSON object, tag what tells this version of the row from others (service.row_tag); no row when it does not exist, is hidden by row security, lies outside its parents, or does not match the filters or the search.';

CREATE OR REPLACE FUNCTION service.statement_list(collection text, shape jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  narrowing text := service.narrowing(collection, shape, roles);
  rest record := service.include(collection, 'page', shape, roles);
  row_columns text := service.row_columns(collection, 't', shape, roles) || service.distance_column(collection, 't', shape, roles) || service.score_columns(collection, shape, roles) || rest.columns;
  page_size text := format('$%s::bigint', shape -> 'limit' ->> 'param');
  page_offset text := coalesce('$' || (shape ->> 'offset') || '::bigint', '0');
  has_cursor boolean := not (shape ?| array['vector', 'distinct'] or service.sorts_by_score(collection, shape));
  row_number text := case when rest.ctes <> '' or (has_cursor and exists (
      select from service.order_keys(collection, 't', shape -> 'orderBy', roles) k join pg_catalog.pg_type y on y.oid = service.base_type(to_regtype(k.sql_type))
      where strpos(k.expression, '(') > 0 or y.typcategory = 'A'))
    then quote_ident(service.unused_prefix(collection) || 'n') end;
  rows text := format('select t.*%s from (select t.* from (%s) t where ctx.ok limit %s) t limit %s + 1',
    ', row_number() over () as ' || row_number, service.page(collection, shape, narrowing, roles), (shape -> 'limit' ->> 'bucket')::integer * 10, page_size);
begin
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || '%sselect concat(''{"data":'', coalesce(array_to_json((array_agg(%s%s))[:%s])::text, ''[]''), ''%s'
      || '"limit":'', %5$s, '',"offset":'', %7$s, '',"hasMore":'', case when count(*) > %5$s then %8$s else ''false'' end, ''}}'') as body '
      || 'from %9$s t%10$s cross join lateral (select %11$s) d) r',
    case when shape ? 'after' then format(', service.cursor_open(%L, $%s) as cursor', collection, shape -> 'after' ->> 'param') else '' end || service.context_columns(collection, shape, roles) || coalesce(service.vector_scan(shape), ''),
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    service.shown_row(collection, 'd'),
    case when rest.ctes = '' then '' else ' order by t.' || row_number end,
    page_size,
    ',"meta":{' || case when shape ->> 'count' = 'none' then '' else '"total":'', ' || service.total(collection, shape, narrowing, roles, page_size, page_offset) || ', '',' end,
    page_offset,
    case when has_cursor then service.next_cursor(collection, shape, roles, 't.' || row_number, page_size) else '''true''' end,
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns);
end $function$;
comment on function service.statement_list(collection text, shape jsonb, roles text[]) is 'The statement of a list: one row, one column body = {"data":[…],"meta":{total, limit, offset, hasMore, nextCursor}}.';

CREATE OR REPLACE FUNCTION service.stored_expression(field text, property service.properties, unwraps text, OUT read_as text, OUT expression text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.stored_expression(field text, property properties, unwraps text, OUT read_as text, OUT expression text) is 'SQL text of what a sent field (r.field) puts into its column, and the type to read it as.';

CREATE OR REPLACE FUNCTION service.takes_patterns(collection text, column_name text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return not exists (
    select from service.collections c
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(format('%I.%I', c.schema_name, c.table_name)) and a.attname = takes_patterns.column_name
    join pg_catalog.pg_collation l on l.oid = a.attcollation and not l.collisdeterministic
    where c.slug = takes_patterns.collection);
end $function$;
comment on function service.takes_patterns(collection text, column_name text) is 'Whether LIKE and ILIKE apply to a column: not where its collation is nondeterministic.';

CREATE OR REPLACE FUNCTION service.texts_within(document jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(string_agg((v.v #>> '{}'::text[]), '
'::text), ''::text) AS "coalesce"
    FROM jsonb_path_query(texts_within.document, 'strict $.**?(@.type() == "string")'::jsonpath) v(v);
END;
comment on function service.texts_within(document jsonb) is 'The texts at any depth of a JSON value, never its keys, one a line; '''' for none. A generated column calls it, so whoever writes such a table may.';
grant execute on function service.texts_within(document jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.total(collection text, shape jsonb, narrowing text, roles text[], page_size text, page_offset text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  counted text := (
    select format('(select c.count from (select count(*) from (select%s from %I.%I t where true%s%s%s) c) c where ctx.ok)',
      case when shape ? 'distinct' and shape ? 'fields' then ' ' || service.page_columns(collection, shape) else '' end, c.schema_name, c.table_name, narrowing,
      coalesce(service.predicate(collection, 't', shape, roles), ''), case when shape ->> 'count' = 'estimated' then ' limit 10001' else '' end)
    from service.collections c where c.slug = collection);
begin
  if shape ->> 'count' = 'estimated' then
    counted := format('greatest(%s, case when count(*) > 0 then %s + count(*) end)', counted, page_offset);
  end if;
  return case when shape ? 'after' then counted
    else format('case when count(*) <= %s and (count(*) > 0 or %s = 0) then %2$s + count(*) else %s end', page_size, page_offset, counted) end;
end $function$;
comment on function service.total(collection text, shape jsonb, narrowing text, roles text[], page_size text, page_offset text) is 'SQL text of meta.total, for use beside count(*) over the page.';

CREATE OR REPLACE FUNCTION service.type_in_words(type text, sql_type text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE type WHEN 'string'::text THEN CASE sql_type WHEN 'uuid'::text THEN 'a UUID'::text ELSE 'a text'::text END WHEN 'number'::text THEN CASE WHEN (sql_type = ANY (ARRAY['smallint'::text, 'integer'::text, 'bigint'::text])) THEN 'a whole number'::text ELSE 'a number'::text END WHEN 'boolean'::text THEN 'true or false'::text WHEN 'date'::text THEN 'a date (ISO 8601)'::text WHEN 'array'::text THEN 'an array'::text WHEN 'map'::text THEN 'an object'::text WHEN 'geopoint'::text THEN 'an object with latitude and longitude'::text WHEN 'vector'::text THEN 'an array of numbers'::text WHEN 'binary'::text THEN 'base64 text'::text ELSE ('a '::text || type) END;
comment on function service.type_in_words(type text, sql_type text) is 'A property type as an error message names it.';

CREATE OR REPLACE FUNCTION service.uid()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN NULLIF(current_setting('app.uid'::text, true), ''::text);
comment on function service.uid() is 'The caller''s user id; ''anonymous'' without a sign-in; null outside a request. In a policy write (select service.uid()): once a query, not once a row.';
grant execute on function service.uid() to service_user;

CREATE OR REPLACE FUNCTION service.undeclared_column(served service.collections, column_name text)
 RETURNS service.properties
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT ROW((undeclared_column.served).slug, (a.attname)::text, (a.attname)::text, (a.attnum)::integer, service.property_type(a.atttypid), service.sql_type(a.atttypid), a.attnotnull, false, ((a.attidentity = 'a'::"char") OR (a.attgenerated <> ''::"char")), false, NULL::text[], NULL::text[], '{}'::jsonb)::service.properties AS "row"
    FROM pg_attribute a
   WHERE ((a.attrelid = (to_regclass(format('%I.%I'::text, (undeclared_column.served).schema_name, (undeclared_column.served).table_name)))::oid) AND (a.attname = undeclared_column.column_name) AND (a.attnum > 0) AND (NOT a.attisdropped) AND (NOT (EXISTS ( SELECT
            FROM service.properties p
           WHERE ((p.collection = (undeclared_column.served).slug) AND (p.column_name = a.attname))))));
END;
comment on function service.undeclared_column(served collections, column_name text) is 'A column of the collection''s table that the collection does not declare, as a property under its own name; null when there is none.';

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

CREATE OR REPLACE FUNCTION service.unreadable_columns(served service.collections, request jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
AS $function$
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
      execute format('select (%s)::%s from %s', written.expression, written.type, service.sent_record('$1::jsonb', array[written.field], array[written.read_as])) using request ->> 'body';
      if written.type ~ '^character.*\(' and char_length(request -> 'body' ->> written.field) > written.width then
        unreadable := unreadable || written.column_name;
      end if;
    exception when data_exception then
      unreadable := unreadable || written.column_name;
    end;
  end loop;
  return unreadable;
end $function$;
comment on function service.unreadable_columns(served collections, request jsonb) is 'The columns whose sent values cannot be read as their types, or are too long for them; null when all can.';

CREATE OR REPLACE FUNCTION service.unusable_because(relation regclass)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
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
end $function$;
comment on function service.unusable_because(relation regclass) is 'Why no request could read or write a table, whatever its rows: policies that recurse, or read what service_user may not. Null when requests can, and when this session may not become service_user.';

CREATE OR REPLACE FUNCTION service.unused_prefix(collection text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return (
    select repeat('~', 1 + coalesce(max(length(substring(a.attname::text from '^~*'))), 0))
    from service.collections c
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(format('%I.%I', c.schema_name, c.table_name)) and a.attnum > 0
    where c.slug = unused_prefix.collection);
end $function$;
comment on function service.unused_prefix(collection text) is 'What names of ours begin with, so that no column of the collection''s table has them: ~, or more tildes.';

CREATE OR REPLACE FUNCTION service.unwrapped(value jsonb, field text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((field IS NULL) OR (jsonb_typeof(value) <> 'object'::text)) THEN value ELSE COALESCE(NULLIF(COALESCE((value -> field), (value -> 'id'::text)), 'null'::jsonb), value) END;
comment on function service.unwrapped(value jsonb, field text) is 'The id of a related row that is sent as an object; any other value as it is.';
grant execute on function service.unwrapped(value jsonb, field text) to service_user;

CREATE OR REPLACE FUNCTION service.update(collection text, id text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service.service_claims())
 RETURNS json
 LANGUAGE sql
RETURN service.change(jsonb_build_object('op', 'update', 'path', jsonb_build_array(collection, id), 'body', body), claims);
comment on function service.update(collection text, id text, body jsonb, claims jsonb) is 'The answer of PATCH /data/<collection>/<id> with this body, as JSON: the row after it. claims: the caller, by default the service key. Errors as service.write.';

CREATE OR REPLACE FUNCTION service.update_statement(served service.collections, sent text[], source text, body text, condition text, answer text)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH assignment(target, value, field, read_as) AS (
          SELECT w.column_name,
             w.expression,
             w.field,
             w.read_as
            FROM service.written_columns(update_statement.served, 'update'::text, update_statement.sent) w(column_name, expression, field, read_as)
         UNION ALL
         ( SELECT p.column_name,
             format('t.%I'::text, p.column_name) AS format,
             NULL::text,
             NULL::text
            FROM service.properties p
           WHERE ((p.collection = (update_statement.served).slug) AND (NOT p.generated) AND (NOT (EXISTS ( SELECT
                    FROM service.written_columns(update_statement.served, 'update'::text, update_statement.sent) written_columns(column_name, expression, field, read_as)))))
           ORDER BY (p.name = ANY ((update_statement.served).key)), p."position"
          LIMIT 1)
         )
  SELECT
         CASE
             WHEN (count(*) = 0) THEN format('select '''' from %I.%I t where %s for update'::text, (update_statement.served).schema_name, (update_statement.served).table_name, update_statement.condition)
             ELSE format('update %I.%I t set %s%s where %s returning %s'::text, (update_statement.served).schema_name, (update_statement.served).table_name, string_agg(format('%I = %s'::text, a.target, a.value), ', '::text ORDER BY a.target), COALESCE((concat(' from ', update_statement.source) || service.sent_record(update_statement.body, array_agg(a.field ORDER BY a.target), array_agg(a.read_as ORDER BY a.target))), ''::text), update_statement.condition, update_statement.answer)
         END AS format
    FROM assignment a;
END;
comment on function service.update_statement(served collections, sent text[], source text, body text, condition text, answer text) is 'SQL text that writes a body with these names into the row, t, of which the condition holds. source: SQL text in FROM before the body''s record, or null; body: SQL text of the body, jsonb; answer: what is returned of the row; a blank where nothing can be set.';

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
   WHERE ((r.collection = valid_relations.collection) AND (EXISTS ( SELECT
            FROM service.collections c
           WHERE ((c.slug = r.target) AND c.exposed))) AND (NOT (EXISTS ( SELECT
            FROM service.link_properties(r.*) p(collection, name, column_name, "position", type, sql_type, not_null, required, generated, excluded, read_roles, write_roles, attributes)
           WHERE p.excluded))));
END;
comment on function service.valid_relations(collection text) is 'The relation names of a collection, as a JSON array for error details.';

CREATE OR REPLACE FUNCTION service.value(parameter integer, sql_type text, list boolean DEFAULT false)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN format(CASE sql_type WHEN 'timestamp without time zone'::text THEN '$%s::timestamptz%s::timestamp%2$s'::text ELSE (('$%s::'::text || replace(sql_type, '%'::text, '%%'::text)) || '%s'::text) END, parameter, CASE WHEN list THEN '[]'::text ELSE ''::text END);
comment on function service.value(parameter integer, sql_type text, list boolean) is 'SQL text of a parameter cast to a column''s type (its array type for a list): $2::integer, $3::text[].';

CREATE OR REPLACE FUNCTION service.value_rules(attributes jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN NULLIF(jsonb_strip_nulls(jsonb_build_object('validation', NULLIF(((COALESCE((attributes -> 'validation'::text), '{}'::jsonb) - ARRAY['requiredMessage'::text, 'unique'::text]) - CASE WHEN (attributes ? 'properties'::text) THEN ''::text ELSE 'required'::text END), '{}'::jsonb), 'enum', (attributes -> 'enum'::text), 'email', (attributes -> 'email'::text), 'url', (attributes -> 'url'::text), 'dimensions', (attributes -> 'dimensions'::text), 'of', (attributes -> 'of'::text), 'properties', (attributes -> 'properties'::text))), '{}'::jsonb);
comment on function service.value_rules(attributes jsonb) is 'The attributes of a property that a value is judged by (service.violations), but for maxLength; null when there are none.';

CREATE OR REPLACE FUNCTION service.vector_distance(collection text, alias text, vector jsonb, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  property service.properties := service.vector_property(collection, vector ->> 'property', roles);
  extension_schema text := coalesce(substring(property.sql_type from '^(.*)\.'), 'public');
begin
  return format('(%s.%I operator(%s.%s) $%s::%s)', alias, property.column_name, extension_schema,
    case vector ->> 'distance' when 'l2' then '<->' when 'inner_product' then '<#>' else '<=>' end, vector ->> 'param', property.sql_type);
end $function$;
comment on function service.vector_distance(collection text, alias text, vector jsonb, roles text[]) is 'SQL text of the distance of a row to the vector of a request: cosine, l2, or the negated inner product.';

CREATE OR REPLACE FUNCTION service.vector_page(collection text, shape jsonb, source text, roles text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  distance text := service.vector_distance(collection, 't', shape -> 'vector', roles);
  ties text := service.order_by(collection, 't', null, roles);
  page_offset text := '$' || (shape ->> 'offset') || '::bigint';
  wanted text := concat_ws(' + ', '$' || (shape -> 'limit' ->> 'param') || '::bigint', page_offset);
  tail text := concat(' limit ' || (shape -> 'limit' ->> 'bucket'), ' offset ' || page_offset);
begin
  -- Sort keys are checked, and change nothing: the order is by distance.
  perform service.page_order(collection, shape, roles);
  return format('with near as materialized (select t.*%1$s and ctx.ok and nullif(%2$s, ''NaN'') is not null order by %2$s, %3$s limit %4$s) '
    || '(select t.* from near t where (select count(*) from near) > %5$s order by %2$s, %3$s%6$s) union all '
    || '(select t.*%1$s and ctx.ok and (select count(*) from near) <= %5$s order by nullif(%2$s, ''NaN''), %3$s%6$s)',
    source, distance, ties, concat_ws(' + ', shape -> 'limit' ->> 'bucket', page_offset), wanted, tail);
end $function$;
comment on function service.vector_page(collection text, shape jsonb, source text, roles text[]) is 'SQL text of the rows of one page of a vector search, nearest first, one more than the limit at least; rows without a distance last. source: SQL text from FROM, with a WHERE. GW400 as service.page_order.';

CREATE OR REPLACE FUNCTION service.vector_predicate(collection text, alias text, vector jsonb, roles text[])
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN format(CASE WHEN (vector ? 'threshold'::text) THEN ' and %s < $%s::double precision'::text ELSE ' and coalesce(%s, 0) is not null'::text END, service.vector_distance(collection, alias, vector, roles), (vector ->> 'threshold'::text));
comment on function service.vector_predicate(collection text, alias text, vector jsonb, roles text[]) is 'SQL text (beginning with and) that holds rows to those nearer than the threshold; without one it holds all, and still reads the vector, so that a wrong one is refused.';

CREATE OR REPLACE FUNCTION service.vector_property(collection text, field text, roles text[])
 RETURNS service.properties
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  property service.properties := service.find_property(collection, field);
begin
  if property.name is null and service.extension_schema('vector') is null
    and exists (select from service.properties p where p.collection = vector_property.collection and p.name = field and p.type = 'vector') then
    perform service.fail(501, 'FEATURE_DISABLED', format('%s.%s is left out: the database server does not have the extension vector (pgvector).', collection, field),
      jsonb_build_object('feature', 'vector search', 'extension', 'vector', 'field', field, 'collection', collection));
  end if;
  if property.type is distinct from 'vector' then
    perform service.fail(400, 'UNKNOWN_VECTOR_PROPERTY', format('%s has no vector property %s.', collection, field), jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service.require_readable(property, roles);
  return property;
end $function$;
comment on function service.vector_property(collection text, field text, roles text[]) is 'The vector property of a collection by its name. GW400 UNKNOWN_VECTOR_PROPERTY {field, collection}, FIELD_NOT_READABLE; GW501 FEATURE_DISABLED {feature, extension, field, collection} for one that a server without pgvector leaves out.';

CREATE OR REPLACE FUNCTION service.vector_scan(shape jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT concat(format(', set_config(''hnsw.ef_search'', least(1000, greatest(40, nullif(current_setting(''hnsw.ef_search'', true), '''')::bigint, %s))::text, true) as ef_search'::text, concat_ws(' + '::text, ((shape -> 'limit'::text) ->> 'bucket'::text), (('$'::text || (shape ->> 'offset'::text)) || '::bigint'::text))), ( SELECT ', set_config(''hnsw.iterative_scan'', ''strict_order'', true) as hnsw_scan, set_config(''ivfflat.iterative_scan'', ''relaxed_order'', true) as ivfflat_scan'::text
            FROM pg_extension e
           WHERE ((e.extname = 'vector'::name) AND ((string_to_array("substring"(e.extversion, '^\d+\.\d+'::text), '.'::text))::integer[] >= '{0,8}'::integer[])))) AS concat
   WHERE (shape ? 'vector'::text);
END;
comment on function service.vector_scan(shape jsonb) is 'SQL text of columns, each beginning with a comma, that let index scans of a vector search reach as far as its page, for this statement; null for other reads.';

CREATE OR REPLACE FUNCTION service.view_key(view oid)
 RETURNS smallint[]
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH said AS (
          SELECT
                 CASE
                     WHEN bool_and((a.attnum IS NOT NULL)) THEN array_agg(a.attnum ORDER BY k.n)
                     ELSE NULL::smallint[]
                 END AS key
            FROM (regexp_split_to_table("substring"(obj_description(view_key.view, 'pg_class'::name), '@key ([^\n]+)'::text), '\s*,\s*'::text) WITH ORDINALITY k(name, n)
              LEFT JOIN pg_attribute a ON (((a.attrelid = view_key.view) AND (a.attname = TRIM(BOTH FROM k.name)) AND (a.attnum > 0) AND (NOT a.attisdropped))))
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

CREATE OR REPLACE FUNCTION service.violation_details(collection text, fields text[], code text, message text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT jsonb_build_object('collection', violation_details.collection, 'fields', violation_details.fields, 'violations', jsonb_agg(jsonb_build_object('field', f.field, 'code', violation_details.code, 'message', format(violation_details.message, f.field)) ORDER BY f.n), 'messages', jsonb_agg(format(violation_details.message, f.field) ORDER BY f.n)) AS jsonb_build_object
    FROM unnest(violation_details.fields) WITH ORDINALITY f(field, n);
END;
comment on function service.violation_details(collection text, fields text[], code text, message text) is 'The details of a refusal that is the same for several fields: {collection, fields, violations: [{field, code, message}], messages}; %s in the message stands for the field.';

CREATE OR REPLACE FUNCTION service.violations(field text, value jsonb, type text, sql_type text, attributes jsonb)
 RETURNS TABLE(field_path text, code text, message text)
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
comment on function service.violations(field text, value jsonb, type text, sql_type text, attributes jsonb) is 'The rules of its property that a sent value breaks, elements of arrays and parts of maps included, by path (tags[2], address.zip): code type, enum, required, or that of service.broken_rules.';

CREATE OR REPLACE FUNCTION service.wanted_columns()
 RETURNS TABLE(schema_name text, table_name text, relation oid, attnum smallint, name text, "position" integer, type text, default_value text, identity boolean, is_unique boolean, not_null boolean, stamp text, in_key boolean, enum_type jsonb, vector_index jsonb)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH link AS (
          SELECT r.junction_schema,
             r.junction_table,
             e.name,
             ((e.rank * 1000) + e.n) AS "position",
             (p.attributes #>> '{column,type}'::text[]) AS type,
             p.sql_type
            FROM ((service.relations r
              CROSS JOIN LATERAL ( SELECT s.name,
                     s.refers,
                     s.n,
                     0 AS rank,
                     r.collection
                    FROM UNNEST(r.junction_source, r.local_columns) WITH ORDINALITY s(name, refers, n)
                 UNION ALL
                  SELECT t_1.name,
                     t_1.refers,
                     t_1.n,
                     1,
                     r.target
                    FROM UNNEST(r.junction_target, r.target_columns) WITH ORDINALITY t_1(name, refers, n)) e)
              JOIN service.properties p ON (((p.collection = e.collection) AND (p.column_name = e.refers))))
           WHERE (r.kind = 'manyToMany'::text)
         ), declared AS (
          SELECT t_1.schema_name,
             t_1.table_name,
             p.column_name AS name,
             p."position",
             p.not_null,
             (p.attributes -> 'column'::text) AS spec,
             1 AS rank
            FROM (service.wanted_tables() t_1(schema_name, table_name, collection, key, read_only, soft_delete, oid)
              JOIN service.properties p ON ((p.collection = t_1.collection)))
           WHERE (p.attributes ? 'column'::text)
         UNION ALL
          SELECT l.junction_schema,
             l.junction_table,
             l.name,
             l."position",
             true,
             jsonb_build_object('type',
                 CASE COALESCE(l.type, l.sql_type)
                     WHEN 'smallserial'::text THEN 'smallint'::text
                     WHEN 'serial'::text THEN 'integer'::text
                     WHEN 'bigserial'::text THEN 'bigint'::text
                     ELSE COALESCE(l.type, l.sql_type)
                 END) AS jsonb_build_object,
             2
            FROM link l
         UNION ALL
          SELECT r.junction_schema,
             r.junction_table,
             (e.pivot ->> 'columnName'::text),
             (10000 + e.n),
             (COALESCE((e.pivot -> 'notNull'::text), (e.pivot -> 'required'::text), 'false'::jsonb))::boolean AS "coalesce",
             (e.pivot #> '{attributes,column}'::text[]),
             3
            FROM (service.relations r
              CROSS JOIN LATERAL jsonb_array_elements(r.pivot) WITH ORDINALITY e(pivot, n))
           WHERE ((r.kind = 'manyToMany'::text) AND (jsonb_typeof(r.pivot) = 'array'::text) AND ((e.pivot #> '{attributes,column}'::text[]) IS NOT NULL))
         ), first AS (
          SELECT DISTINCT ON (d.schema_name, d.table_name, d.name) d.schema_name,
             d.table_name,
             d.name,
             d."position",
             d.not_null,
             d.spec,
             d.rank
            FROM declared d
           ORDER BY d.schema_name, d.table_name, d.name, d.rank, d."position"
         )
  SELECT t.schema_name,
     t.table_name,
     t.oid,
     a.attnum,
     f.name,
     f."position",
         CASE
             WHEN ((f.spec ->> 'type'::text) ~ '(^|\.)vector(\(|$)'::text) THEN ((quote_ident(v.schema_name) || '.vector'::text) || COALESCE("substring"((f.spec ->> 'type'::text), '\(\d+\)$'::text), ''::text))
             ELSE (f.spec ->> 'type'::text)
         END AS "case",
     (f.spec ->> 'default'::text),
     COALESCE(((f.spec ->> 'identity'::text))::boolean, false) AS "coalesce",
     COALESCE(((f.spec ->> 'unique'::text))::boolean, false) AS "coalesce",
     f.not_null,
     (f.spec ->> 'stamp'::text),
     (f.name = ANY (t.key)),
     NULLIF((f.spec -> 'enumType'::text), 'null'::jsonb) AS "nullif",
     NULLIF((f.spec -> 'index'::text), 'null'::jsonb) AS "nullif"
    FROM (((first f
      JOIN service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid) ON (((t.schema_name = f.schema_name) AND (t.table_name = f.table_name))))
      CROSS JOIN ( SELECT service.extension_schema('vector'::text) AS schema_name) v)
      LEFT JOIN pg_attribute a ON (((a.attrelid = t.oid) AND (a.attname = f.name) AND (a.attnum > 0) AND (NOT a.attisdropped))));
END;
comment on function service.wanted_columns() is 'The columns that collection files ask for. attnum is null while the table has none of that name. type is null for a vector where the server has no pgvector.';

CREATE OR REPLACE FUNCTION service.wanted_foreign_keys()
 RETURNS TABLE(schema_name text, table_name text, relation oid, name text, columns text[], target_schema text, target_table text, target_columns text[], on_delete text)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH declared AS (
          SELECT c_1.schema_name,
             c_1.table_name,
             r_1.local_columns AS columns,
             r_1.target,
             r_1.target_columns,
             r_1.collection,
             r_1.name,
             COALESCE(r_1.on_delete,
                 CASE
                     WHEN (EXISTS ( SELECT
                        FROM service.properties p
                       WHERE ((p.collection = r_1.collection) AND (p.column_name = ANY (r_1.local_columns)) AND p.not_null))) THEN 'restrict'::text
                     ELSE 'set null'::text
                 END) AS on_delete
            FROM (service.relations r_1
              JOIN service.collections c_1 ON (((c_1.slug = r_1.collection) AND (c_1.source = 'file'::text))))
           WHERE (r_1.kind = 'belongsTo'::text)
         UNION ALL
          SELECT r_1.junction_schema,
             r_1.junction_table,
             r_1.junction_source,
             r_1.collection,
             r_1.local_columns,
             r_1.collection,
             r_1.name,
             COALESCE(r_1.on_delete, 'cascade'::text) AS "coalesce"
            FROM service.relations r_1
           WHERE (r_1.kind = 'manyToMany'::text)
         UNION ALL
          SELECT r_1.junction_schema,
             r_1.junction_table,
             r_1.junction_target,
             r_1.target,
             r_1.target_columns,
             r_1.collection,
             r_1.name,
             COALESCE(r_1.on_delete, 'cascade'::text) AS "coalesce"
            FROM service.relations r_1
           WHERE (r_1.kind = 'manyToMany'::text)
         ), first AS (
          SELECT DISTINCT ON (d.schema_name, d.table_name, d.columns) d.schema_name,
             d.table_name,
             d.columns,
             d.target,
             d.target_columns,
             d.collection,
             d.name,
             d.on_delete
            FROM declared d
           ORDER BY d.schema_name, d.table_name, d.columns, d.collection, d.name
         )
  SELECT t.schema_name,
     t.table_name,
     t.oid,
     service.short_name(((t.table_name || '_'::text) || array_to_string(f.columns, '_'::text)), '_fkey'::text) AS short_name,
     f.columns,
     c.schema_name,
     c.table_name,
     f.target_columns,
     f.on_delete
    FROM ((((first f
      JOIN service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid) ON (((t.schema_name = f.schema_name) AND (t.table_name = f.table_name))))
      JOIN service.collections c ON ((c.slug = f.target)))
      LEFT JOIN pg_namespace n ON ((n.nspname = c.schema_name)))
      LEFT JOIN pg_class r ON (((r.relnamespace = n.oid) AND (r.relname = c.table_name))))
   WHERE (((r.oid IS NULL) AND (NOT c.read_only)) OR (r.relkind = ANY (ARRAY['r'::"char", 'p'::"char"])));
END;
comment on function service.wanted_foreign_keys() is 'The foreign keys that the belongsTo relations and the junctions of collection files ask for. Nothing refers to a view.';

CREATE OR REPLACE FUNCTION service.wanted_indexes()
 RETURNS TABLE(schema_name text, table_name text, relation oid, kind text, name text, is_unique boolean, columns text[], body text)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH wanted_column AS MATERIALIZED (
          SELECT c.schema_name,
             c.table_name,
             c.relation,
             c.attnum,
             c.name,
             c."position",
             c.type,
             c.default_value,
             c.identity,
             c.is_unique,
             c.not_null,
             c.stamp,
             c.in_key,
             c.enum_type,
             c.vector_index,
             (('using btree ('::text || quote_ident(c.name)) || ')'::text) AS btree
            FROM service.wanted_columns() c(schema_name, table_name, relation, attnum, name, "position", type, default_value, identity, is_unique, not_null, stamp, in_key, enum_type, vector_index)
           WHERE (c.type IS NOT NULL)
         ), declared AS (
          SELECT t.schema_name,
             t.table_name,
             t.oid AS relation,
             d.name,
             d.is_unique,
             d.columns,
             d.body
            FROM (((service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
              JOIN service.collections c ON ((c.slug = t.collection)))
              CROSS JOIN LATERAL jsonb_array_elements(
                 CASE jsonb_typeof((c.definition -> 'indexes'::text))
                     WHEN 'array'::text THEN (c.definition -> 'indexes'::text)
                     ELSE '[]'::jsonb
                 END) i(definition))
              CROSS JOIN LATERAL service.declared_index(t.collection, i.definition) d(name, is_unique, columns, body))
         ), vector AS (
          SELECT c.schema_name,
             c.table_name,
             c.relation,
             c.attnum,
             c.name,
             c."position",
             c.type,
             c.default_value,
             c.identity,
             c.is_unique,
             c.not_null,
             c.stamp,
             c.in_key,
             c.enum_type,
             c.vector_index,
             c.btree,
             d.distance,
             format('using %s (%I %I.%I)%s'::text, (c.vector_index ->> 'method'::text), c.name, service.extension_schema('vector'::text), (('vector_'::text ||
                 CASE d.distance
                     WHEN 'inner_product'::text THEN 'ip'::text
                     ELSE d.distance
                 END) || '_ops'::text), COALESCE(((' with ('::text || NULLIF(concat_ws(', '::text, ('m = '::text || ((c.vector_index ->> 'm'::text))::integer), ('ef_construction = '::text || ((c.vector_index ->> 'efConstruction'::text))::integer), ('lists = '::text || ((c.vector_index ->> 'lists'::text))::integer)), ''::text)) || ')'::text), ''::text)) AS body
            FROM (wanted_column c
              CROSS JOIN LATERAL jsonb_array_elements_text(
                 CASE jsonb_typeof((c.vector_index -> 'distance'::text))
                     WHEN 'array'::text THEN (c.vector_index -> 'distance'::text)
                     ELSE jsonb_build_array((c.vector_index -> 'distance'::text))
                 END) d(distance))
           WHERE ((jsonb_typeof(c.vector_index) = 'object'::text) AND (COALESCE(("substring"(c.type, '\((\d+)\)$'::text))::integer, 0) <= 2000))
         )
  SELECT c.schema_name,
     c.table_name,
     c.relation,
     'unique'::text,
     service.short_name(((c.table_name || '_'::text) || c.name), '_key'::text) AS short_name,
     true,
     ARRAY[c.name] AS "array",
     c.btree
    FROM (wanted_column c
      JOIN service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid) ON (((t.schema_name = c.schema_name) AND (t.table_name = c.table_name))))
   WHERE (c.is_unique AND (t.key <> ARRAY[c.name]) AND (NOT (EXISTS ( SELECT
            FROM pg_index i
           WHERE ((i.indrelid = c.relation) AND (i.indkey[0] = c.attnum) AND (i.indnkeyatts = 1) AND i.indisunique AND i.indisvalid AND (i.indpred IS NULL))))))
 UNION ALL
  SELECT d.schema_name,
     d.table_name,
     d.relation,
     'index'::text,
     d.name,
     d.is_unique,
     d.columns,
     d.body
    FROM declared d
 UNION ALL
  SELECT f.schema_name,
     f.table_name,
     f.relation,
     'index'::text,
     service.short_name(((f.table_name || '_'::text) || array_to_string(f.columns, '_'::text)), '_fk_idx'::text) AS short_name,
     false,
     f.columns,
     (('using btree ('::text || ( SELECT string_agg(quote_ident(u.k), ', '::text ORDER BY u.n) AS string_agg
            FROM unnest(f.columns) WITH ORDINALITY u(k, n))) || ')'::text)
    FROM ((service.wanted_foreign_keys() f(schema_name, table_name, relation, name, columns, target_schema, target_table, target_columns, on_delete)
      JOIN service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid) ON (((t.schema_name = f.schema_name) AND (t.table_name = f.table_name))))
      LEFT JOIN wanted_column c ON (((c.schema_name = f.schema_name) AND (c.table_name = f.table_name) AND (c.name = f.columns[1]))))
   WHERE ((t.key[1:cardinality(f.columns)] <> f.columns) AND (NOT ((cardinality(f.columns) = 1) AND COALESCE(c.is_unique, false))) AND (NOT (EXISTS ( SELECT
            FROM pg_index i
           WHERE ((i.indrelid = f.relation) AND (i.indkey[0] = c.attnum) AND i.indisvalid AND (i.indpred IS NULL) AND (cardinality(f.columns) = 1))))))
 UNION ALL
  SELECT v.schema_name,
     v.table_name,
     v.relation,
     'vector index'::text,
     service.short_name(((v.table_name || '_'::text) || v.name), ((('_'::text || v.distance) || '_ix_'::text) || service.short_hash(concat_ws(' '::text, v.schema_name, v.table_name, v.body)))) AS short_name,
     false,
     ARRAY[v.name] AS "array",
     v.body
    FROM vector v
 UNION ALL
  SELECT s.schema_name,
     s.table_name,
     s.relation,
     'search index'::text,
     service.short_name(((s.table_name || '_'::text) || s.name), ('_ix_'::text || service.short_hash(concat_ws(' '::text, s.schema_name, s.table_name, s.index_keys)))) AS short_name,
     false,
     ARRAY[s.name] AS "array",
     ('using gin '::text || s.index_keys)
    FROM service.wanted_search_columns() s(collection, schema_name, table_name, relation, name, type, expression, meaning, index_keys, attnum, made_of, ready)
   WHERE ((s.index_keys IS NOT NULL) AND ((s.attnum IS NULL) OR (s.made_of IS NOT NULL)));
END;
comment on function service.wanted_indexes() is 'The indexes that collection files ask for, by name: unique properties, the declared ones, those of foreign keys, of vectors and of searches. What another index does already is left out.';

CREATE OR REPLACE FUNCTION service.wanted_policies()
 RETURNS TABLE(schema_name text, table_name text, relation oid, name text, clause text, meaning text, origin text)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH policy AS (
          SELECT collection_policies.schema_name,
             collection_policies.table_name,
             collection_policies.relation,
             collection_policies.stem,
             collection_policies.suffix,
             collection_policies.permissive,
             collection_policies.operation,
             collection_policies.roles,
             collection_policies.using_clause,
             collection_policies.check_clause,
             collection_policies.origin
            FROM service.collection_policies() collection_policies(schema_name, table_name, relation, stem, suffix, permissive, operation, roles, using_clause, check_clause, origin)
         UNION ALL
          SELECT junction_policies.schema_name,
             junction_policies.table_name,
             junction_policies.relation,
             junction_policies.stem,
             junction_policies.suffix,
             junction_policies.permissive,
             junction_policies.operation,
             junction_policies.roles,
             junction_policies.using_clause,
             junction_policies.check_clause,
             junction_policies.origin
            FROM service.junction_policies() junction_policies(schema_name, table_name, relation, stem, suffix, permissive, operation, roles, using_clause, check_clause, origin)
         ), written AS (
          SELECT p.schema_name,
             p.table_name,
             p.relation,
             p.stem,
             p.suffix,
             p.permissive,
             p.operation,
             p.roles,
             p.using_clause,
             p.check_clause,
             p.origin,
             concat('as ',
                 CASE
                     WHEN p.permissive THEN 'permissive'::text
                     ELSE 'restrictive'::text
                 END, ' for ', p.operation, ' to ', ( SELECT string_agg(
                         CASE r.r
                             WHEN 'public'::text THEN r.r
                             ELSE quote_ident(r.r)
                         END, ', '::text) AS string_agg
                    FROM unnest(p.roles) r(r)), ((' using ('::text || p.using_clause) || ')'::text), ((' with check ('::text || p.check_clause) || ')'::text)) AS clause
            FROM policy p
         ), named AS (
          SELECT w.schema_name,
             w.table_name,
             w.relation,
             w.stem,
             w.suffix,
             w.permissive,
             w.operation,
             w.roles,
             w.using_clause,
             w.check_clause,
             w.origin,
             w.clause,
             service.short_hash(w.clause) AS hash,
             service.short_name(w.stem, COALESCE(w.suffix, ((('_'::text || w.operation) || '_'::text) || service.short_hash(w.clause)))) AS name
            FROM written w
         ), numbered AS (
          SELECT n_1.schema_name,
             n_1.table_name,
             n_1.relation,
             n_1.stem,
             n_1.suffix,
             n_1.permissive,
             n_1.operation,
             n_1.roles,
             n_1.using_clause,
             n_1.check_clause,
             n_1.origin,
             n_1.clause,
             n_1.hash,
             n_1.name,
             dense_rank() OVER (PARTITION BY n_1.schema_name, n_1.table_name, n_1.name ORDER BY n_1.clause) AS rank,
             row_number() OVER (PARTITION BY n_1.schema_name, n_1.table_name, n_1.name, n_1.clause ORDER BY n_1.origin) AS repeated
            FROM named n_1
         )
  SELECT n.schema_name,
     n.table_name,
     n.relation,
         CASE n.rank
             WHEN 1 THEN n.name
             ELSE service.short_name(n.name, ('_'::text || n.hash))
         END AS short_name,
     n.clause,
     "left"(encode(sha256(convert_to(n.clause, 'UTF8'::name)), 'hex'::text), 16) AS "left",
     n.origin
    FROM numbered n
   WHERE (n.repeated = 1);
END;
comment on function service.wanted_policies() is 'Every policy that collection files ask for: its name, what stands behind "create policy … on …", a hash of that, and where it comes from.';

CREATE OR REPLACE FUNCTION service.wanted_search_columns()
 RETURNS TABLE(collection text, schema_name text, table_name text, relation oid, name text, type text, expression text, meaning text, index_keys text, attnum smallint, made_of text, ready boolean)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH block AS MATERIALIZED (
          SELECT t.collection,
             t.schema_name,
             t.table_name,
             t.oid AS relation,
             service.search_block(t.collection) AS block
            FROM service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid)
           WHERE (t.collection IS NOT NULL)
         ), wanted AS (
          SELECT b.collection,
             b.schema_name,
             b.table_name,
             b.relation,
             b.block,
             c.name,
             c.type,
             c.expression,
             c.index_keys,
             service.short_hash(((c.type || ' '::text) || c.expression)) AS meaning
            FROM (block b
              CROSS JOIN LATERAL ( SELECT (b.block ->> 'column'::text) AS name,
                     'tsvector'::text AS type,
                     service.search_vector(b.collection, b.block, ''::text) AS expression,
                     format('(%I)'::text, (b.block ->> 'column'::text)) AS index_keys
                 UNION ALL
                  SELECT (b.block ->> 'textColumn'::text),
                     'text'::text,
                     service.search_text(b.collection, b.block, ''::text) AS search_text,
                     (((('('::text || quote_ident((b.block ->> 'textColumn'::text))) || ' '::text) || quote_ident((b.block ->> 'trigrams'::text))) || '.gin_trgm_ops)'::text)) c)
           WHERE ((b.block IS NOT NULL) AND (c.name IS NOT NULL))
         )
  SELECT w.collection,
     w.schema_name,
     w.table_name,
     w.relation,
     w.name,
     w.type,
     w.expression,
     w.meaning,
     w.index_keys,
     a.attnum,
     s.made_of,
     ((a.attnum IS NOT NULL) AND (a.attgenerated = 's'::"char") AND (NOT (s.made_of IS DISTINCT FROM w.meaning)))
    FROM (((wanted w
      LEFT JOIN pg_attribute a ON (((a.attrelid = w.relation) AND (a.attname = w.name) AND (a.attnum > 0) AND (NOT a.attisdropped))))
      LEFT JOIN pg_description d ON (((d.classoid = ('pg_class'::regclass)::oid) AND (d.objoid = w.relation) AND (d.objsubid = a.attnum))))
      LEFT JOIN LATERAL ( SELECT service.search_meaning(d.description) AS made_of) s ON (true));
END;
comment on function service.wanted_search_columns() is 'The generated columns that search blocks ask for. PostgreSQL stores an expression in another form than it was given, so the column''s comment keeps a hash of it: made_of is that of the column that is there (null: no block made it), ready when it is the wanted one. index_keys: what its GIN index is on, null without pg_trgm.';

CREATE OR REPLACE FUNCTION service.wanted_stamps()
 RETURNS TABLE(schema_name text, table_name text, relation oid, function_for text, body text)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT t.schema_name,
     t.table_name,
     t.oid,
     service.short_name(COALESCE(t.collection, (t.table_name || '__link'::text)), '__stamp'::text) AS short_name,
     service.stamp_body(array_agg(c.name ORDER BY c."position", c.name), array_agg(regexp_replace(c.type, '\(\d+\)'::text, ''::text) ORDER BY c."position", c.name), array_agg(c.stamp ORDER BY c."position", c.name), t.soft_delete) AS stamp_body
    FROM (service.wanted_columns() c(schema_name, table_name, relation, attnum, name, "position", type, default_value, identity, is_unique, not_null, stamp, in_key, enum_type, vector_index)
      JOIN service.wanted_tables() t(schema_name, table_name, collection, key, read_only, soft_delete, oid) ON (((t.schema_name = c.schema_name) AND (t.table_name = c.table_name))))
   WHERE (c.stamp IS NOT NULL)
   GROUP BY t.schema_name, t.table_name, t.oid, t.collection, t.soft_delete;
END;
comment on function service.wanted_stamps() is 'The trigger functions that the stamped columns (autoValue) of collection files and junctions ask for, one a table: its name in schema service and its PL/pgSQL.';

CREATE OR REPLACE FUNCTION service.wanted_tables()
 RETURNS TABLE(schema_name text, table_name text, collection text, key text[], read_only boolean, soft_delete text, oid oid)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH declared AS (
          SELECT c.schema_name,
             c.table_name,
             c.slug,
             c.read_only,
             array_agg(p.column_name ORDER BY k.n) AS key,
                 CASE jsonb_typeof((c.definition -> 'softDelete'::text))
                     WHEN 'boolean'::text THEN
                     CASE
                         WHEN ((c.definition ->> 'softDelete'::text))::boolean THEN 'deletedAt'::text
                         ELSE NULL::text
                     END
                     ELSE (c.definition #>> '{softDelete,field}'::text[])
                 END AS stamp
            FROM ((service.collections c
              CROSS JOIN LATERAL unnest(c.key) WITH ORDINALITY k(name, n))
              JOIN service.properties p ON (((p.collection = c.slug) AND (p.name = k.name))))
           WHERE (c.source = 'file'::text)
           GROUP BY c.slug
         ), linked AS (
          SELECT DISTINCT ON (r_1.junction_schema, r_1.junction_table) r_1.junction_schema,
             r_1.junction_table,
             (r_1.junction_source || r_1.junction_target) AS key
            FROM (service.relations r_1
              JOIN service.collections c ON (((c.slug = r_1.collection) AND (c.source = 'file'::text))))
           WHERE ((r_1.kind = 'manyToMany'::text) AND (NOT (EXISTS ( SELECT
                    FROM service.collections o
                   WHERE ((o.schema_name = r_1.junction_schema) AND (o.table_name = r_1.junction_table))))))
           ORDER BY r_1.junction_schema, r_1.junction_table, r_1.collection, r_1.name
         ), wanted AS (
          SELECT d.schema_name,
             d.table_name,
             d.slug,
             d.key,
             d.read_only,
             p.column_name AS soft_delete
            FROM (declared d
              LEFT JOIN service.properties p ON (((p.collection = d.slug) AND (p.name = d.stamp))))
         UNION ALL
          SELECT l.junction_schema,
             l.junction_table,
             NULL::text,
             l.key,
             false,
             NULL::text
            FROM linked l
         )
  SELECT w.schema_name,
     w.table_name,
     w.slug,
     w.key,
     w.read_only,
     w.soft_delete,
     r.oid
    FROM ((wanted w
      LEFT JOIN pg_namespace n ON ((n.nspname = w.schema_name)))
      LEFT JOIN pg_class r ON (((r.relnamespace = n.oid) AND (r.relname = w.table_name))))
   WHERE (((r.oid IS NULL) AND (NOT w.read_only)) OR (r.relkind = ANY (ARRAY['r'::"char", 'p'::"char"])));
END;
comment on function service.wanted_tables() is 'The tables that collection files ask for: those of the collections, and the junctions of many-to-many relations (collection is null). oid is null while there is none.';

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

CREATE OR REPLACE FUNCTION service.with_vector_schema(property service.properties)
 RETURNS service.properties
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if property.type = 'vector' and property.sql_type = 'vector' then
    property.sql_type := format('%I.vector', service.extension_schema('vector'));
  end if;
  return property;
end $function$;
comment on function service.with_vector_schema(property properties) is 'The property; its type, if it is a vector without a schema, by the name that pgvector has on this server.';

CREATE OR REPLACE FUNCTION service.without_column(property service.properties)
 RETURNS service.properties
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  property.excluded := true;
  property.required := false;
  property.read_roles := '{}';
  property.write_roles := '{}';
  return property;
end $function$;
comment on function service.without_column(property properties) is 'The property as one that nobody reads or writes.';

CREATE OR REPLACE FUNCTION service.writable_fields(collection text, roles text[])
 RETURNS text[]
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT array_agg(p.name ORDER BY p."position") AS array_agg
    FROM service.properties p
   WHERE ((p.collection = writable_fields.collection) AND (NOT p.excluded) AND (NOT p.generated) AND ((p.write_roles IS NULL) OR (p.write_roles && writable_fields.roles) OR (('admin'::text = ANY (writable_fields.roles)) AND (p.write_roles <> '{}'::text[]))));
END;
comment on function service.writable_fields(collection text, roles text[]) is 'The names of the fields that holders of these roles may write, in the order of the columns.';

CREATE OR REPLACE FUNCTION service.write(claims text, request jsonb, plan jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
declare
  op text := request ->> 'op';
  key text := request -> 'path' ->> 1;
  doubtful jsonb;
  moved text[];
  answer text;
  done boolean;
  kept boolean;
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
  if plan ? 'stamp' and request -> 'body' ->> (plan ->> 'stamp') is not null then
    perform service.refuse_stamp(request -> 'path' ->> 0, plan ->> 'stamp');
  end if;
  kept := service.keep(plan);
  answer := service.run_planned(case when kept then plan ->> 'kept' end, plan ->> 'statement', request ->> 'body', key);
  if answer is null then
    perform service.refuse_unaffected(request, op <> 'create' and service.run_planned(null, plan ->> 'visible', null, key) is not null);
  end if;
  key := case op when 'create' then answer else key end;
  if not plan ? 'reply' then
    return null;
  elsif not kept then
    return service.read_back(plan, claims, key);
  end if;
  done := set_config('transaction_read_only', 'on', true) = 'on';
  return service.run_planned((plan ->> 'kept') || '_reply', null, claims, key);
end $function$;
comment on function service.write(claims text, request jsonb, plan jsonb) is 'Creates, updates or deletes one row as the caller with these claims. request: {"op": "create"|"update"|"delete", "path": [slug] or [slug, id], "body": object, "return": "minimal"?, "fields": [names]?, "hard": true?}. A delete in a collection with softDelete stamps the row, unless it is hard; an update that sets the stamp to null restores it. Returns the row as this caller reads it; null for delete and return=minimal. Errors: GW400 VALIDATION_EXCLUDED_FIELDS, FIELD_NOT_WRITABLE, VALIDATION_UNKNOWN_FIELDS, RELATION_NOT_WRITABLE, UNKNOWN_RESPONSE_FIELD, FIELD_NOT_READABLE, INVALID_FIELD_OPERATION, VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE, KEY_IMMUTABLE; GW403 WRITE_DENIED; GW404 NOT_FOUND; GW501 NOT_IMPLEMENTED; and the database''s own, rolled back as a whole.';
grant execute on function service.write(claims text, request jsonb, plan jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.write_plan(shape jsonb, roles text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  served service.collections;
  op text := shape ->> 'op';
  sent text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  minimal boolean := shape ->> 'return' is not distinct from 'minimal';
  key text;
  stamp text := service.deletion_stamp(shape ->> 'collection');
  stamp_sent text;
  found text;
  plan jsonb;
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
  stamp_sent := (select s.field from service.sent_fields(served, sent) s where (s.property).column_name = stamp and op = 'update' limit 1);
  -- A deleted row is there only to be restored, or deleted for good.
  found := key || case when stamp_sent is null and not shape ? 'hard' then service.live(served.slug, 't') else '' end;
  plan := jsonb_strip_nulls(jsonb_build_object(
    'fields', service.judged_fields(served, op, sent),
    'sentKey', (select jsonb_agg(s.field) from service.sent_fields(served, sent) s where (s.property).name = any (served.key)),
    'twice', (select true from service.sent_fields(served, sent) s group by (s.property).column_name having count(*) > 1 limit 1),
    'missing', case op when 'create' then service.missing_fields(served, sent) end,
    'statement', case op
      when 'create' then service.insert_statement(served, sent, null, '$1::jsonb', null, case when minimal then '''''' else service.written_id(served) end)
      when 'update' then service.update_statement(served, sent, null, '$1::jsonb', found, '''''')
      when 'delete' then format(case when stamp is null or shape ? 'hard' then 'delete from %I.%I t where %s returning ''''' else 'update %I.%I t set %4$I = now() where %3$s returning ''''' end,
        served.schema_name, served.table_name, found, stamp)
    end,
    'stamp', stamp_sent,
    'keyTypes', case when op <> 'create' then (
      select jsonb_agg(p.sql_type order by k.n) from unnest(served.key) with ordinality k (name, n)
      join service.properties p on p.collection = served.slug and p.name = k.name) end,
    'visible', case when op <> 'create' then format('select '''' from %I.%I t where %s', served.schema_name, served.table_name, found) end,
    'reply', case when op <> 'delete' and not minimal then
      (service.compile(jsonb_strip_nulls(jsonb_build_object('op', 'get', 'path', jsonb_build_array(served.slug, 2), 'fields', shape -> 'fields', 'deleted', case when stamp is not null then 'include' end)), roles)).statement end));
  return plan || jsonb_strip_nulls(jsonb_build_object('direct', service.direct_statement(served, shape, plan, roles)));
end $function$;
comment on function service.write_plan(shape jsonb, roles text[]) is 'The plan of writes of one shape (service.write_shape), for callers with these roles. fields: how values are judged (service.judged_fields); sentKey: the names that mean the key; twice: a column is sent by two names; missing: violations of what a create leaves out; statement ($1 = body, $2 = id; returns the new id of a create that is answered with its row, else a blank), visible ($2 = id; a row when the caller sees it), reply ($1 = claims, $2 = id): SQL text, parameters text; direct: all of it in one statement (service.direct_statement), where that can be; keyTypes: the types of the id; stamp: the name by which an update sends the column of a soft delete. Errors that values do not decide, as service.write.';
grant execute on function service.write_plan(shape jsonb, roles text[]) to service_user;

CREATE OR REPLACE FUNCTION service.write_shape(request jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT jsonb_strip_nulls(jsonb_build_object('op', (request -> 'op'::text), 'collection', ((request -> 'path'::text) -> 0), 'return', (request -> 'return'::text), 'hard', (request -> 'hard'::text), 'fields', (request -> 'fields'::text), 'body', ( SELECT COALESCE(jsonb_agg(b.key), '[]'::jsonb) AS "coalesce"
            FROM jsonb_each((write_shape.request -> 'body'::text)) b(key, value)
           WHERE (NOT (((write_shape.request ->> 'op'::text) = 'create'::text) AND (b.value = ANY (ARRAY['null'::jsonb, '""'::jsonb])) AND (EXISTS ( SELECT
                    FROM (service.collections c
                      JOIN service.properties p ON (((p.collection = c.slug) AND (p.name = ANY (c.key)))))
                   WHERE ((c.slug = ((write_shape.request -> 'path'::text) ->> 0)) AND ((b.key = p.name) OR (b.key = p.column_name)))))))))) AS jsonb_strip_nulls;
END;
comment on function service.write_shape(request jsonb) is 'What service.write_plan needs to know of a write: {op, collection, body: [names], return?, fields?, hard?}, its values left out; names of a blank key too, when it creates.';
grant execute on function service.write_shape(request jsonb) to service_user;

CREATE OR REPLACE FUNCTION service.written_columns(served service.collections, op text, sent text[])
 RETURNS TABLE(column_name text, expression text, field text, read_as text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (s.property).column_name AS column_name,
     e.expression,
     s.field,
     e.read_as
    FROM (( SELECT DISTINCT ON ((f.property).column_name) f.field,
             f.relation_kind,
             f.unwraps,
             f.property
            FROM service.sent_fields(written_columns.served, written_columns.sent) f(field, relation_kind, unwraps, property)
           WHERE ((NOT ((f.property).attributes ? 'autoValue'::text)) AND (NOT ((written_columns.op = 'update'::text) AND ((f.property).name = ANY ((written_columns.served).key)))))
           ORDER BY (f.property).column_name, f.field) s
      CROSS JOIN LATERAL service.stored_expression(s.field, s.property, s.unwraps) e(read_as, expression));
END;
comment on function service.written_columns(served collections, op text, sent text[]) is 'The columns that a body with these names writes: SQL text of the value, and the field and type that it is read from. Stamps are not among them: a trigger puts them there.';

CREATE OR REPLACE FUNCTION service.written_id(served service.collections)
 RETURNS text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT string_agg(format(
         CASE
             WHEN (cardinality((written_id.served).key) = 1) THEN 't.%I::text'::text
             ELSE 'replace(replace(t.%I::text, ''%%'', ''%%25''), '':'', ''%%3A'')'::text
         END, p.column_name), ' || '':::'' || '::text ORDER BY k.n) AS string_agg
    FROM (unnest((written_id.served).key) WITH ORDINALITY k(name, n)
      JOIN service.properties p ON (((p.collection = (written_id.served).slug) AND (p.name = k.name))));
END;
comment on function service.written_id(served collections) is 'SQL text of the id of a row, t, as service.id_parts takes it apart.';

create event trigger service_ddl on ddl_command_end execute function service.on_ddl();

create event trigger service_drop on sql_drop execute function service.on_ddl();

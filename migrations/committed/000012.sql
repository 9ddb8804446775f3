--! Previous: sha1:a530eb379d9dc2f1a3d575eb306d6209247d79c5
--! Hash: sha1:e9adab732c24b8214bb9dcc3861cbd9e431ce432

-- Reads check every name they are sent; numbers are compared as numbers, composite ids and bytes as they are shown.
--! Included read/takes_patterns.sql
-- A nondeterministic collation holds texts for equal that differ in their bytes; LIKE (until 18) and ILIKE refuse it.
create or replace function service.takes_patterns(collection text, column_name text) returns boolean
  language plpgsql stable as $$
begin
  return not exists (
    select from service.collections c
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(format('%I.%I', c.schema_name, c.table_name)) and a.attname = takes_patterns.column_name
    join pg_catalog.pg_collation l on l.oid = a.attcollation and not l.collisdeterministic
    where c.slug = takes_patterns.collection);
end $$;

comment on function service.takes_patterns(text, text) is 'Whether LIKE and ILIKE apply to a column: not where its collation is nondeterministic.';

revoke all on function service.takes_patterns(text, text) from public;
--! EndIncluded read/takes_patterns.sql
--! Included read/comparison.sql
create or replace function service.comparison(expression text, property service.properties, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record := service.operand(property.name, condition);
  kind text := case when property.type in ('reference', 'relation') then 'string' else property.type end;
  json_array boolean := kind = 'array' and property.sql_type in ('json', 'jsonb');
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
      case when op.operator in ('>', '>=', '<', '<=') then op.operator when op.operator in ('!=', 'not-in') then '<>' else '=' end)) then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to %s, which is of type %s.', op.operator, property.name, kind),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator, 'type', kind));
  end if;
  return case
    when json_array and op.takes <> 'nothing' then
      -- jsonb_array_elements_text refuses what is no array, and finds nothing in NULL.
      format('exists (select from jsonb_array_elements_text(case jsonb_typeof(%1$s::jsonb) when ''array'' then %1$s::jsonb end) e where e = %2$s)', expression,
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end)
    -- Bytes are compared as they are shown, in base64.
    when binary_array and op.takes <> 'nothing' then
      format('exists (select from unnest(%s) e where %s = %s)', expression, service.scalar_value('e', 'bytea'),
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
  if condition ->> 2 in ('number', 'decimal') and op.operator in ('>', '>=', '<', '<=') then
    -- Rows whose leaf is no number are skipped; the CASE keeps the cast from seeing them. Exponents are held to what numeric can hold.
    return format('case when %1$s ~ ''^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?$'' then %1$s::numeric %2$s $%3$s::numeric else false end', leaf, op.operator, op.parameter);
  end if;
  return format(op.template, leaf, service.value(op.parameter, 'text', op.list));
end $$;

comment on function service.json_comparison(text, service.properties, text, jsonb) is
  'SQL text of one condition on a path inside a JSON column: text comparison; numeric when an ordering operator was given a JSON number. GW400 as service.operand, INVALID_FILTER_OPERATOR for array operators or a column that is not JSON.';

revoke all on function service.json_comparison(text, service.properties, text, jsonb) from public;
--! EndIncluded read/json_comparison.sql
--! Included read/composite_membership.sql
-- The parts of a composite key do not stand in one value, so rows are compared by the id that their parts make as they
-- are shown. An id of other parts than the key's is no row's.
create or replace function service.composite_membership(relation service.relations, alias text, condition jsonb, positive text) returns text
  language plpgsql stable as $$
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
    select string_agg(format('(%s)::text', service.column_value(format('%s.%I', case when is_local then alias else target_alias end, k.name),
      (service.find_column(case when is_local then relation.collection else relation.target end, k.name)).sql_type)), ' || '':::'' || ' order by k.n)
    from unnest(case when is_local then local_key else key end) with ordinality k (name, n));
begin
  -- A foreign key that is NULL is unequal to nothing; related rows that are not there are unequal to all.
  op := service.operand(relation.name, case when is_local and condition ->> 0 in ('!=', 'not-in') then condition else jsonb_set(condition, '{0}', to_jsonb(positive)) end);
  id := format(op.template, '(' || id || ')', service.value(op.parameter, 'text', op.list));
  return case when is_local then id
    else format('%s (select from %s and %s)', case when condition ->> 0 in ('!=', 'not-in') then 'not exists' else 'exists' end,
      service.relation_from(relation, alias, target_alias), id) end;
end $$;

comment on function service.composite_membership(service.relations, text, jsonb, text) is
  'SQL text of a condition on a relation whose target has a composite key, its ids written as in a path (parts joined by :::). positive: the operator that a negative one denies, or the operator itself.';

revoke all on function service.composite_membership(service.relations, text, jsonb, text) from public;
--! EndIncluded read/composite_membership.sql
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
end $$;

comment on function service.membership(service.relations, text, jsonb, text[]) is
  'SQL text of a condition on a relation by its name: the foreign key of a belongsTo, else whether related rows (with these ids) exist. Negative operators mean that no related row matches. Composite ids: service.composite_membership. GW400 UNSUPPORTED_RELATION_FILTER, UNSUPPORTED_RELATION_FILTER_OPERATOR.';

revoke all on function service.membership(service.relations, text, jsonb, text[]) from public;
--! EndIncluded read/membership.sql
--! Included read/search_predicate.sql
-- Substrings, case-insensitive, over the text columns that this caller may read. No such column: no row, never all.
create or replace function service.search_predicate(collection text, alias text, roles text[]) returns text
  language sql stable
begin atomic
  select case when count(*) = 0 then ' and false' else
    format(' and not exists (select from unnest(ctx.patterns) p where not coalesce(%s, false))',
      string_agg(format('coalesce(%s.%I%s ilike p, false)', alias, c.column_name,
        case when service.takes_patterns(c.collection, c.column_name) then '' else ' collate pg_catalog."default"' end), ' or ' order by c.position)) end
  from service.properties c
  where c.collection = search_predicate.collection and c.type = 'string' and not c.excluded and service.readable(c, roles)
    and c.sql_type in ('text', 'character varying', 'bpchar') and not c.attributes ? 'enum';
end;

comment on function service.search_predicate(text, text, text[]) is
  'SQL text (beginning with and) of a substring search: every pattern of ctx.patterns matches in some text column that these roles may read.';

revoke all on function service.search_predicate(text, text, text[]) from public;
--! EndIncluded read/search_predicate.sql
--! Included read/sort_aggregate.sql
-- count(orders), max(orders.total): an aggregate over a row's related rows, as this caller sees them.
create or replace function service.sort_aggregate(collection text, alias text, field text, roles text[], out expression text, out sql_type text)
  language plpgsql stable as $$
declare
  parts text[] := regexp_match(field, '^\s*(count|min|max|sum|avg)\s*\(\s*([^.()]+?)\s*(?:\.([^()]+?))?\s*\)\s*$');
  relation service.relations := service.find_relation(collection, parts[2]);
  property service.properties := service.find_property(relation.target, parts[3]);
begin
  if relation.name is not null and parts[3] is not null and property.name is null then
    perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s, which %s.%s leads to, has no field %s to sort by.', relation.target, collection, relation.name, parts[3]),
      jsonb_build_object('field', field, 'collection', collection, 'relation', relation.name, 'targetCollection', relation.target, 'validFields', service.valid_fields(relation.target, roles)));
  elsif relation.name is null then
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
--! Included read/statement_get.sql
create or replace function service.statement_get(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
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
end $$;

comment on function service.statement_get(text, jsonb, text[]) is
  'The statement of a single row: body is the row as a JSON object, tag what tells this version of the row from others (service.row_tag); no row when it does not exist, is hidden by row security, lies outside its parents, or does not match the filters or the search.';

revoke all on function service.statement_get(text, jsonb, text[]) from public;
--! EndIncluded read/statement_get.sql
--! Included read/check_names.sql
-- Every read checks every parameter. What a kind of read has no use for compiles like what it has, and is thrown away.
create or replace function service.check_names(collection text, shape jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  checked jsonb := shape -> 'checked';
  whole jsonb := shape || checked;
begin
  if checked ?| array['fields', 'include'] then
    perform service.row_columns(collection, 't', whole, roles);
    perform service.include(collection, 'page', checked, roles);
  end if;
  if checked ? 'orderBy' then
    perform case
      when shape ->> 'op' = 'aggregate' then service.aggregate_order(collection, whole)
      when service.sorts_by_score(collection, whole) then service.score_order(collection, whole, roles)
      else service.order_by(collection, 't', checked -> 'orderBy', roles) end;
  end if;
  perform service.vector_property(collection, v.value ->> 'property', roles) from (values (checked -> 'vector')) v (value) where v.value is not null;
  perform service.group_columns(collection, checked, roles, false), service.aggregate_columns(collection, checked, roles);
end $$;

comment on function service.check_names(text, jsonb, text[]) is
  'Nothing, or the refusal of a name in shape.checked ({orderBy, fields, include, vector, select, groupBy}): GW400 UNKNOWN_ORDER_BY_FIELD, UNKNOWN_FIELD, UNKNOWN_RELATION, UNKNOWN_VECTOR_PROPERTY, UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE and whatever those clauses are refused with where they are used.';

revoke all on function service.check_names(text, jsonb, text[]) from public;
--! EndIncluded read/check_names.sql
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
  'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include, search, vector, select, groupBy …; checked: clauses of which only the names are checked}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before, the statement does not (partitioned tables whose policies call identity functions bare; counts and aggregates of so many rows that several processes are worth the round trips). revalidates: the answer depends on nothing but the row, so while its tag stands the answer stands (no related rows, no afterRead). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 for what is parsed but not compiled.';

revoke all on function service.compile(jsonb, text[]) from public;
--! EndIncluded read/compile.sql
--! Included read/hoist_condition.sql
create or replace function service.hoist_condition(field text, condition json, inout parameters text[], out hoisted jsonb)
  language plpgsql immutable as $$
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
end $$;

comment on function service.hoist_condition(text, json, text[]) is
  'One condition [operator, value] with its value taken out: [operator, parameter number], [operator, [number]] for a list, with "number" or "decimal" behind it for JSON numbers. GW400 INVALID_WHERE, INVALID_FILTER_VALUE for a list that holds null.';

revoke all on function service.hoist_condition(text, json, text[]) from public;
--! EndIncluded read/hoist_condition.sql
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
  foreach verbatim in array array['distinct', 'deleted', 'select', 'groupBy', 'checked'] loop
    if request -> verbatim is not null then
      node := node || jsonb_build_object(verbatim, request -> verbatim);
    end if;
  end loop;
end $$;

comment on function service.hoist_search(json, text[]) is 'The part of a request that only its root has: search and vector with their values taken out; distinct, deleted, select, groupBy and checked as they are.';

revoke all on function service.hoist_search(json, text[]) from public;
--! EndIncluded read/hoist_search.sql
--! Included read/hoist.sql
-- The same step that the gateway takes for a URL: values out, parameter numbers in, in the order of the document
-- (json, not jsonb, keeps it). $1 is the claims.
create or replace function service.hoist(request json, out shape jsonb, out parameters text[])
  language plpgsql stable as $$
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
end $$;

comment on function service.hoist(json) is
  'Takes the values out of a request {op, path: [slug, id, relation …], where: {field: [operator, value] or a list of those}, logical, orderBy: [{field, direction, nulls}], limit, offset, after, fields, include, count, search: {text}, vector: {property, vector, distance, threshold}, distinct, deleted, select: [{fn, field}], groupBy, checked}: the shape that service.compile reads, and the values of $2 onwards. GW400 INVALID_CURSOR, INVALID_PARAM, INVALID_LIMIT, INVALID_OFFSET, CURSOR_WITH_OFFSET, and those of conditions and groups.';

revoke all on function service.hoist(json) from public;
--! EndIncluded read/hoist.sql
--! Included read/run.sql
-- Runs what the gateway would run, as whom it would run it: the text of service.compile, prepared, under service_user.
-- Role and identity are put back, so a DBA's transaction goes on as it was.
create or replace function service.run(request json, claims jsonb, prefix text default '') returns setof text
  language plpgsql volatile set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set jit = off as $$
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
--! Included write/change.sql
-- Runs what the API would run, as whom it would run it. Role and identity are put back, so a DBA's transaction goes on
-- as it was.
create or replace function service.change(request jsonb, claims jsonb) returns json
  language plpgsql volatile set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set jit = off as $$
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

--! Previous: sha1:e9adab732c24b8214bb9dcc3861cbd9e431ce432
--! Hash: sha1:c7866b34c19a231020d81032c828bb24f8f32b36

drop function service.aggregate_order(text, jsonb);
--! Included read/is_sortable.sql
-- As the server looks for it: the default order of the type itself, or of one that it is the same as in storage. Arrays
-- and composites have one when their parts do.
create or replace function service.is_sortable(sql_type text) returns boolean
  language plpgsql stable as $$
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
end $$;

comment on function service.is_sortable(text) is 'Whether PostgreSQL has an order for a type, and so groups by it: not so for xml, json or the geometric types.';

revoke all on function service.is_sortable(text) from public;
--! EndIncluded read/is_sortable.sql
--! Included read/aggregate_call.sql
-- Which aggregates there are is the server's to say, and differs by version and extension. As the parser would, the one of
-- the type itself is taken first, then one of a type that it is cast to; what comes out is of the column's type again. A
-- uuid sorts as its text does. (For records there is max, whose result has lost its type.)
create or replace function service.aggregate_call(fn text, expression text, property service.properties) returns text
  language plpgsql stable as $$
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
end $$;

comment on function service.aggregate_call(text, text, service.properties) is
  'SQL text of an aggregate (count, sum, avg, min, max) of a column''s values: bigint for count, numeric for sum and avg, the column''s type for min and max. Null when it does not apply to the type.';

revoke all on function service.aggregate_call(text, text, service.properties) from public;
--! EndIncluded read/aggregate_call.sql
--! Included read/aggregate_value.sql
create or replace function service.aggregate_value(collection text, aggregate jsonb, roles text[], out expression text, out sql_type text)
  language plpgsql stable as $$
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
end $$;

comment on function service.aggregate_value(text, jsonb, text[]) is
  'SQL text and type of one aggregate {fn, field} of rows t. GW400 UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE, INVALID_AGGREGATE_SELECT {field, collection, function, type, sqlType} (a function that does not apply to the field''s type).';

revoke all on function service.aggregate_value(text, jsonb, text[]) from public;
--! EndIncluded read/aggregate_value.sql
--! Included read/aggregate_columns.sql
-- sum and avg are numbers whatever the column's precision; min and max look like the column does.
create or replace function service.aggregate_columns(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
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
end $$;

comment on function service.aggregate_columns(text, jsonb, text[]) is
  'SQL text of the aggregates of a request under their names. GW400 as service.aggregate_value.';

revoke all on function service.aggregate_columns(text, jsonb, text[]) from public;
--! EndIncluded read/aggregate_columns.sql
--! Included read/aggregate_order.sql
-- By the values themselves, not by how they stand in JSON: as text, 10 would come before 9.
create or replace function service.aggregate_order(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
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
    sorted := expressions[array_position(names, key ->> 'field')];
    if sorted is null then
      perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('An aggregate is sorted by what it returns: %s.', array_to_string(names, ', ')),
        jsonb_build_object('field', key ->> 'field', 'collection', collection, 'validFields', names));
    end if;
    terms := terms || format('%s %s%s', sorted, key ->> 'direction', coalesce(' nulls ' || (key ->> 'nulls'), ''));
  end loop;
  return array_to_string(terms || expressions[:jsonb_array_length(shape -> 'groupBy')], ', ');
end $$;

comment on function service.aggregate_order(text, jsonb, text[]) is
  'SQL text after ORDER BY of a grouped aggregate: its keys among the group fields and aggregate names, then the groups ascending. GW400 UNKNOWN_ORDER_BY_FIELD.';

revoke all on function service.aggregate_order(text, jsonb, text[]) from public;
--! EndIncluded read/aggregate_order.sql
--! Included read/require_aggregate_names.sql
create or replace function service.require_aggregate_names(collection text, shape jsonb) returns void
  language plpgsql stable as $$
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
end $$;

comment on function service.require_aggregate_names(text, jsonb) is
  'Nothing, or GW400 INVALID_AGGREGATE_SELECT {field, collection} when two of the groups and aggregates of a request have one name in its answer: a group by a column count beside count().';

revoke all on function service.require_aggregate_names(text, jsonb) from public;
--! EndIncluded read/require_aggregate_names.sql
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
        jsonb_build_object('field', property.name, 'collection', collection, 'type', property.type, 'sqlType', property.sql_type));
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
--! Included read/statement_aggregate.sql
-- Grouped rows come in the order of their groups unless the request says otherwise; limit and offset count groups.
create or replace function service.statement_aggregate(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  groups text := service.group_columns(collection, shape, roles, false);
  source text := (
    select format('%I.%I t where true%s%s', c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
    from service.collections c where c.slug = collection);
begin
  perform service.require_aggregate_names(collection, shape);
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || 'select concat(''{"data":'', coalesce(json_agg(d.*), ''[]''), ''}'') as body from (select %s%s from %s%s) d where ctx.ok) r',
    service.context_columns(collection, shape, roles),
    coalesce(service.group_columns(collection, shape, roles, true) || ', ', ''),
    service.aggregate_columns(collection, shape, roles),
    source,
    case when groups is null then '' else format(' group by %s order by %s limit $%s::bigint%s', groups, service.aggregate_order(collection, shape, roles),
      shape -> 'limit' ->> 'param', coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '')) end);
end $$;

comment on function service.statement_aggregate(text, jsonb, text[]) is
  'The statement of an aggregate: body = {"data":[{group fields, count, sum_total …}]}; one row without groupBy.';

revoke all on function service.statement_aggregate(text, jsonb, text[]) from public;
--! EndIncluded read/statement_aggregate.sql
--! Included read/distinct_properties.sql
create or replace function service.distinct_properties(collection text, shape jsonb) returns setof service.properties
  language plpgsql stable as $$
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
end $$;

comment on function service.distinct_properties(text, jsonb) is
  'What a distinct read returns, in order: the named columns without those that are excluded. GW400 DISTINCT_NOT_APPLICABLE {field, collection, type, sqlType} for types without an order (json, xml, point …).';

revoke all on function service.distinct_properties(text, jsonb) from public;
--! EndIncluded read/distinct_properties.sql
--! Included read/page_columns.sql
-- Without fields there is the key in every row, and nothing to collapse. Where all that is named is excluded, rows are all
-- the same: one, with nothing in it.
create or replace function service.page_columns(collection text, shape jsonb) returns text
  language sql stable
  return case when shape ? 'distinct' and shape ? 'fields'
    then (select 'distinct ' || coalesce(string_agg(format('t.%I', p.column_name), ', ' order by p.position), 'true as "true"') from service.distinct_properties(page_columns.collection, shape) p)
    else 't.*' end;

comment on function service.page_columns(text, jsonb) is 'SQL text of what a page selects: whole rows, or for a distinct read the named columns, each combination once. GW400 as service.distinct_properties.';

revoke all on function service.page_columns(text, jsonb) from public;
--! EndIncluded read/page_columns.sql
--! Included read/page_order.sql
-- A vector search may name the distance, by which service.vector_page orders it whatever else is named.
-- A distinct read has no key to end on; the columns that it returns make its order total.
create or replace function service.page_order(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
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
end $$;

comment on function service.page_order(text, jsonb, text[]) is
  'SQL text after ORDER BY of a page: as requested and then by key, relevance included; by what is returned for a distinct read. GW400 as service.order_keys, DISTINCT_ORDER_BY_NOT_SELECTED {fields}.';

revoke all on function service.page_order(text, jsonb, text[]) from public;
--! EndIncluded read/page_order.sql
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
end $$;

comment on function service.row_columns(text, text, jsonb, text[]) is
  'SQL text of the columns of a row under their wire names, as these roles may read them and as fields asks. GW400 UNKNOWN_FIELD {field, collection}, FIELD_NOT_READABLE.';

revoke all on function service.row_columns(text, text, jsonb, text[]) from public;
--! EndIncluded read/row_columns.sql
--! Included read/statement_count.sql
create or replace function service.statement_count(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
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
end $$;

comment on function service.statement_count(text, jsonb, text[]) is
  'The statement of a count: body = {"count":128}; of a distinct read with fields, the combinations. GW400 as service.row_columns and service.distinct_properties.';

revoke all on function service.statement_count(text, jsonb, text[]) from public;
--! EndIncluded read/statement_count.sql
--! Included read/sort_aggregate.sql
-- count(orders), max(orders.total): an aggregate over a row's related rows, as this caller sees them.
create or replace function service.sort_aggregate(collection text, alias text, field text, roles text[], out expression text, out sql_type text)
  language plpgsql stable as $$
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
end $$;

comment on function service.sort_aggregate(text, text, text, text[]) is
  'SQL text and type of a sort key fn(relation[.field]). GW400 UNKNOWN_ORDER_BY_FIELD, ORDER_BY_FIELD_NOT_SORTABLE, FIELD_NOT_READABLE.';

revoke all on function service.sort_aggregate(text, text, text, text[]) from public;
--! EndIncluded read/sort_aggregate.sql
--! Included read/sort_property.sql
-- A cursor goes on after its row by <, which hstore has under another name.
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
  elsif property.name is null or property.type in ('map', 'vector', 'geopoint', 'binary') or property.sql_type in ('json', 'jsonb')
    or not service.is_sortable(property.sql_type) or not service.has_operator(property.sql_type, '<') then
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
--! Included read/vector_page.sql
-- An index of vectors is approximate: it has no NULLs (and for cosine no zero vectors), and it stops looking after so
-- many rows, of which filters then take some away. So what is nearest by the index is the page only where that many rows
-- were found. Else every row is compared, which costs what their count costs: the expression around the distance is one
-- that no index has.
create or replace function service.vector_page(collection text, shape jsonb, source text, roles text[]) returns text
  language plpgsql stable as $$
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
end $$;

comment on function service.vector_page(text, jsonb, text, text[]) is
  'SQL text of the rows of one page of a vector search, nearest first, one more than the limit at least; rows without a distance last. source: SQL text from FROM, with a WHERE. GW400 as service.page_order.';

revoke all on function service.vector_page(text, jsonb, text, text[]) from public;
--! EndIncluded read/vector_page.sql
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
    perform case when shape ->> 'op' = 'aggregate' then service.aggregate_order(collection, whole, roles) else service.page_order(collection, whole, roles) end;
  end if;
  perform service.vector_property(collection, v.value ->> 'property', roles) from (values (checked -> 'vector')) v (value) where v.value is not null;
  perform service.group_columns(collection, checked, roles, false), service.aggregate_columns(collection, checked, roles);
end $$;

comment on function service.check_names(text, jsonb, text[]) is
  'Nothing, or the refusal of a name in shape.checked ({orderBy, fields, distinct, include, vector, select, groupBy}): GW400 UNKNOWN_ORDER_BY_FIELD, UNKNOWN_FIELD, UNKNOWN_RELATION, UNKNOWN_VECTOR_PROPERTY, UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE and whatever those clauses are refused with where they are used.';

revoke all on function service.check_names(text, jsonb, text[]) from public;
--! EndIncluded read/check_names.sql

--! Previous: sha1:35b702c0c55f711bab2d65169276bf48e12310fc
--! Hash: sha1:a8355288bbd82364ce0d36b767162684743d3f94

--! Included catalog/camel_case.sql
-- An arrow would read as a path inside JSON.
create or replace function service.camel_case(name text) returns text
  language sql immutable parallel safe
begin atomic
  select case when min(plain) like '\_%' then min(plain) else string_agg(case n when 1 then part else upper(left(part, 1)) || substr(part, 2) end, '' order by n) end
  from replace(name, '->', '_') plain, regexp_split_to_table(plain, '_') with ordinality s (part, n);
end;

comment on function service.camel_case(text) is 'The wire name of a column: user_id is userId, photoURL stays, a->b is aB.';

revoke all on function service.camel_case(text) from public;
--! EndIncluded catalog/camel_case.sql
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
    select c.collection, replace(c.name::name::text, '->', '_') as name, c.kind, c.target, c.local_columns, c.target_columns,
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
--! Included read/hoist_field.sql
-- As the grammar of the gateway does it, which says why.
create or replace function service.hoist_field(field text, inout parameters text[], out hoisted text)
  language plpgsql immutable as $$
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
end $$;

comment on function service.hoist_field(text, text[]) is
  'A field name with its path inside JSON taken out: metadata->address->>city is metadata->$2->$3; a segment that is a whole number has # for $.';

revoke all on function service.hoist_field(text, text[]) from public;
--! EndIncluded read/hoist_field.sql
--! Included read/hoist_node.sql
-- Parameters are numbered as the gateway numbers them: where, logical, the limit of an include, its own includes.
create or replace function service.hoist_node(request json, nested boolean, inout parameters text[], out node jsonb)
  language plpgsql immutable as $$
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
end $$;

comment on function service.hoist_node(json, boolean, text[]) is 'The part of a request that an include node has too ({where, logical, include, orderBy, fields}; nested: limit as well), its values taken out.';

revoke all on function service.hoist_node(json, boolean, text[]) from public;
--! EndIncluded read/hoist_node.sql
--! Included read/hoist_logical.sql
create or replace function service.hoist_logical(logical json, inout parameters text[], out node jsonb)
  language plpgsql immutable as $$
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
end $$;

comment on function service.hoist_logical(json, text[]) is 'A logical group {type, conditions} of groups and leaves {column, operator, value}, its values taken out. GW400 INVALID_LOGICAL_GROUP.';

revoke all on function service.hoist_logical(json, text[]) from public;
--! EndIncluded read/hoist_logical.sql
--! Included read/json_path.sql
-- Arrows, because an index on (metadata ->> 'country') is found only where the expression is spelled as its own: a plan
-- for these very values puts them in the parameters' place. A whole number is a place in a list or a key, which the
-- arrows tell apart by type and #> by what it finds.
create or replace function service.json_path(expression text, path text) returns text
  language plpgsql immutable parallel safe as $$
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
end $$;

comment on function service.json_path(text, text) is
  'SQL text of the text leaf under a JSON column, from a hoisted field name such as metadata->$2->$3 (the first segment is the column, the others are parameters; #3 for a whole number).';

revoke all on function service.json_path(text, text) from public;
--! EndIncluded read/json_path.sql
--! Included read/json_comparison.sql
create or replace function service.json_comparison(expression text, property service.properties, path text, condition jsonb) returns text
  language plpgsql stable as $$
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
end $$;

comment on function service.json_comparison(text, service.properties, text, jsonb) is
  'SQL text of one condition on a path inside a JSON column: text comparison; numeric when an ordering operator was given a JSON number. GW400 as service.operand, INVALID_FILTER_OPERATOR for array operators or a column that is not JSON.';

revoke all on function service.json_comparison(text, service.properties, text, jsonb) from public;
--! EndIncluded read/json_comparison.sql
--! Included read/related_condition.sql
create or replace function service.related_condition(relation service.relations, alias text, field text, condition jsonb, roles text[]) returns text
  language plpgsql stable as $$
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
end $$;

comment on function service.related_condition(service.relations, text, text, jsonb, text[]) is
  'SQL text of a condition on a column of a relation, one hop: some related row matches; for a negative operator, no related row does. GW400 UNKNOWN_FILTER_FIELD with the target''s fields, UNSUPPORTED_RELATION_FILTER for a via relation.';

revoke all on function service.related_condition(service.relations, text, text, jsonb, text[]) from public;
--! EndIncluded read/related_condition.sql
--! Included read/condition.sql
-- A field name means, in this order: a column, a relation (membership), a path inside JSON, a column of a relation.
-- The whole name comes first, since a column or table may be named with dots. A path ends in parameters
-- (service.hoist_field), so a refusal names the column.
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
  perform service.fail(400, 'UNKNOWN_FILTER_FIELD', format('%s has no field %s.', collection, split_part(field, '->', 1)),
    jsonb_build_object('field', split_part(field, '->', 1), 'collection', collection, 'validFields', service.valid_fields(collection, roles)));
end $$;

comment on function service.condition(text, text, text, jsonb, text[]) is
  'SQL text of one condition on one field of a collection. GW400 UNKNOWN_FILTER_FIELD {field, collection, validFields}, FIELD_NOT_READABLE, and what comparison, membership and related_condition refuse.';

revoke all on function service.condition(text, text, text, jsonb, text[]) from public;
--! EndIncluded read/condition.sql

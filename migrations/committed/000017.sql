--! Previous: sha1:ad16ba11182bbaeba03da230e4f54d166e708ce4
--! Hash: sha1:7cbfc9182eb58cb70d1b5bf1049e2b50a0747c4f

--! Included read/find_relation.sql
-- A relation over a column that is kept out of the API is kept out with it; and one to a collection that is not exposed,
-- which would be read, filtered or sorted by through every collection that leads there.
create or replace function service.find_relation(collection text, relation text) returns service.relations
  language sql stable
begin atomic
  select r
  from service.relations r
  where r.collection = find_relation.collection and r.name = find_relation.relation
    and exists (select from service.collections c where c.slug = r.target and c.exposed)
    and not exists (select from service.link_properties(r) p where p.excluded);
end;

comment on function service.find_relation(text, text) is
  'The relation of a collection by its name, null when there is none that a client may know of.';

revoke all on function service.find_relation(text, text) from public;
--! EndIncluded read/find_relation.sql
--! Included read/valid_relations.sql
create or replace function service.valid_relations(collection text) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(r.name order by r.name), '[]'::jsonb) from service.relations r where r.collection = valid_relations.collection
    and exists (select from service.collections c where c.slug = r.target and c.exposed)
    and not exists (select from service.link_properties(r) p where p.excluded);
end;

comment on function service.valid_relations(text) is 'The relation names of a collection, as a JSON array for error details.';

revoke all on function service.valid_relations(text) from public;
--! EndIncluded read/valid_relations.sql
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
      and exists (select from service.collections c where c.slug = r.target and c.exposed)
      -- * means what the caller may see; only a name insists.
      and not exists (select from service.link_properties(r) p where p.excluded or not service.readable(p, roles))
    order by r.name collate "C";
end $$;

comment on function service.included_relations(text, jsonb, text[]) is
  'The relations that a node {include} asks for, with their options; * is spelled out. GW400 UNKNOWN_RELATION {relation, collection, validRelations}, FIELD_NOT_READABLE.';

revoke all on function service.included_relations(text, jsonb, text[]) from public;
--! EndIncluded read/included_relations.sql
--! Included catalog/catalog_document.sql
create or replace function service.catalog_document() returns json
  language sql stable
begin atomic
  select json_build_object(
    'version', (select c.version from service.catalog c),
    'schemaVersion', (select c.schema_version from service.catalog c),
    'restrictingRoles', coalesce((select json_agg(distinct r) from service.properties p, unnest(p.read_roles || p.write_roles) r), '[]'::json),
    'collections', coalesce((
      select json_agg(json_build_object(
        'slug', c.slug, 'name', c.name, 'singularName', c.singular_name, 'description', c.description, 'key', c.key, 'readOnly', c.read_only,
        'readers', service.reading_roles(c.source, c.definition),
        'schema', c.schema_name, 'table', c.table_name,
        'search', case when jsonb_typeof(c.definition -> 'search') = 'object' then json_build_object(
          'fields', jsonb_path_query_array(c.definition, '$.search.fields[*].path'), 'hybrid', c.definition #>> '{search,mode}' = 'hybrid', 'fuzzy', c.definition #> '{search,fuzzy}') end,
        'properties', (
          select coalesce(json_agg(json_build_object('name', p.name, 'type', p.type, 'sqlType', p.sql_type, 'nullable', not p.not_null, 'required', p.required,
            'generated', p.generated, 'readRoles', p.read_roles, 'writeRoles', p.write_roles, 'attributes', p.attributes) order by p.position), '[]'::json)
          from service.properties p where p.collection = c.slug and not p.excluded),
        'relations', (
          select coalesce(json_agg(json_build_object('name', r.name, 'kind', r.kind, 'target', r.target,
            'pivot', (select json_agg(p ->> 'name' order by n) from jsonb_array_elements(case jsonb_typeof(r.pivot) when 'array' then r.pivot end) with ordinality a (p, n))) order by r.name), '[]'::json)
          from service.relations r join service.collections t on t.slug = r.target and t.exposed where r.collection = c.slug
            and not exists (select from service.properties p where p.collection = r.collection and p.column_name = any (r.local_columns) and p.excluded)
            and not exists (select from service.properties p where p.collection = r.target and p.column_name = any (r.target_columns) and p.excluded))) order by c.slug)
      from service.collections c where c.exposed), '[]'::json));
end;

comment on function service.catalog_document() is
  'The served collections as one JSON document: {version, schemaVersion, restrictingRoles, collections: [{slug, name, singularName, description, key, readOnly, readers (service.reading_roles), schema, table, search, properties, relations}]}.';

revoke all on function service.catalog_document() from public;
--! EndIncluded catalog/catalog_document.sql
--! Included read/run.sql
-- Runs what the gateway would run, as whom it would run it: the text of service.compile, prepared, under service_user.
-- Role and identity are put back, and how far a vector search may reach (service.vector_scan), so a DBA's transaction goes
-- on as it was. The extension's settings may not be there before the search loads it; then they go back to its own.
create or replace function service.run(request json, claims jsonb, prefix text default '') returns setof text
  language plpgsql volatile set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set jit = off as $$
declare
  hoisted record := service.hoist(request);
  compiled record := service.compile(hoisted.shape, service.claimed_roles(claims));
  before text[] := array[current_setting('app.uid', true), current_setting('app.user_roles', true), current_setting('app.is_anonymous', true), current_setting('app.jwt', true)];
  reach text[] := '{hnsw.ef_search,hnsw.iterative_scan,ivfflat.iterative_scan}';
  reach_before text[] := array(select coalesce(current_setting(name, true), '') from unnest(reach) with ordinality u (name, n) order by n);
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
  if hoisted.shape ? 'vector' then
    perform set_config(s.name, coalesce(nullif(u.value, ''), s.boot_val), true)
    from unnest(reach, reach_before) u (name, value) join pg_catalog.pg_settings s on s.name = u.name;
  end if;
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
--! Included read/statement_aggregate.sql
-- Grouped rows come in the order of their groups unless the request says otherwise; limit and offset count groups. The
-- exact limit is a condition on the row number, as in service.statement_list: for LIMIT $n a generic plan expects a tenth
-- of the groups, and reads them off an index one by one (300 groups of 300,000 rows: 218 ms for 76).
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
      || 'select concat(''{"data":'', coalesce(json_agg(g.json), ''[]''), ''}'') as body from ('
      || 'select to_json(d.*) as json, row_number() over () as n from (select %s%s from %s%s) d where ctx.ok) g%s) r',
    service.context_columns(collection, shape, roles),
    coalesce(service.group_columns(collection, shape, roles, true) || ', ', ''),
    service.aggregate_columns(collection, shape, roles),
    source,
    case when groups is null then '' else format(' group by %s order by %s limit %s%s', groups, service.aggregate_order(collection, shape, roles),
      shape -> 'limit' ->> 'bucket', coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '')) end,
    case when groups is null then '' else format(' where g.n <= $%s::bigint', shape -> 'limit' ->> 'param') end);
end $$;

comment on function service.statement_aggregate(text, jsonb, text[]) is
  'The statement of an aggregate: body = {"data":[{group fields, count, sum_total …}]}; one row without groupBy.';

revoke all on function service.statement_aggregate(text, jsonb, text[]) from public;
--! EndIncluded read/statement_aggregate.sql
--! Included read/operator_name.sql
-- Types of extensions bring their operators along, often in a schema that is on nobody's path: unqualified, ltree's = is
-- not found, and citext's gives way to that of text, which tells case apart.
create or replace function service.operator_name(sql_type text, operator text) returns text
  language plpgsql stable as $$
begin
  return coalesce((
    select format('operator(%I.%s)', n.nspname, o.oprname)
    from pg_catalog.pg_operator o
    join pg_catalog.pg_namespace n on n.oid = o.oprnamespace and n.nspname <> 'pg_catalog'
    where o.oprname = operator_name.operator
      and o.oprleft = service.base_type(to_regtype(operator_name.sql_type)) and o.oprright = o.oprleft
    limit 1), operator_name.operator);
end $$;

comment on function service.operator_name(text, text) is
  'SQL text of an operator between two values of a type: as it is called, or where it is not PostgreSQL''s own, with its schema: operator(extensions.=).';

revoke all on function service.operator_name(text, text) from public;
--! EndIncluded read/operator_name.sql
--! Included read/equals.sql
-- The columns of a junction have the types of the keys they lead to. Where a foreign key is of another type than its key
-- (citext on text), what serves both is PostgreSQL's own.
create or replace function service.equals(relation service.relations, local boolean) returns text[]
  language sql stable
begin atomic
  select array_agg(case when relation.junction_table is null and l.type is distinct from t.type then '=' else service.operator_name(case when local then l.type else t.type end, '=') end order by u.n)
  from unnest(relation.local_columns, relation.target_columns) with ordinality u (local_column, target_column, n)
  cross join lateral (select (service.find_column(relation.collection, u.local_column)).sql_type) l (type)
  cross join lateral (select (service.find_column(relation.target, u.target_column)).sql_type) t (type)
  where case when local then u.local_column else u.target_column end is not null;
end;

comment on function service.equals(service.relations, boolean) is
  'SQL text of the operators (service.operator_name) that equate the local columns of a relation, or those of its target, with what they are joined with, in order.';

revoke all on function service.equals(service.relations, boolean) from public;
--! EndIncluded read/equals.sql
--! Included read/id_parts.sql
-- Escapes are of the id, not of its URL: what encodes a URL encodes them as well. Most ids have none.
create or replace function service.id_parts(id text) returns text[]
  language plpgsql immutable parallel safe as $$
begin
  if strpos(id, '%') = 0 then
    return string_to_array(id, ':::');
  end if;
  return array(
    select replace(replace(replace(part, '%3A', ':'), '%3a', ':'), '%25', '%')
    from unnest(string_to_array(id, ':::')) with ordinality p (part, n) order by n);
end $$;

comment on function service.id_parts(text) is
  'The parts of a composite id: joined by :::, with a colon or percent sign in a part written %3A or %25. Other percent signs stand for themselves.';

revoke all on function service.id_parts(text) from public;
grant execute on function service.id_parts(text) to service_user;
--! EndIncluded read/id_parts.sql
--! Included read/column_pairs.sql
create or replace function service.column_pairs(left_alias text, left_columns text[], operators text[], right_alias text, right_columns text[]) returns text
  language sql immutable parallel safe
begin atomic
  select string_agg(format('%s.%I %s %s.%I', left_alias, l, o, right_alias, r), ' and ')
  from unnest(left_columns, operators, right_columns) as c (l, o, r);
end;

comment on function service.column_pairs(text, text[], text[], text, text[]) is
  'SQL text that equates two lists of columns by these operators (service.equals): x.a = t.b and x.c = t.d.';

revoke all on function service.column_pairs(text, text[], text[], text, text[]) from public;
--! EndIncluded read/column_pairs.sql
--! Included read/reached_by.sql
-- One column: an array from the rows above, which an index or a scan serves as the planner sees fit. Several: IN, which takes the operators that are called =.
create or replace function service.reached_by(alias text, columns text[], operators text[], parent_rows text, parent_columns text[]) returns text
  language sql immutable parallel safe
  return case when cardinality(columns) = 1
    then format('%s.%I %s any (array(select p.%I from %I p))', alias, columns[1], operators[1], parent_columns[1], parent_rows)
    when '=' <> any (operators)
    then format('exists (select from %I p where %s)', parent_rows, service.column_pairs(alias, columns, operators, 'p', parent_columns))
    else format('(%s) in (select %s from %I p)', service.column_list(alias, columns), service.column_list('p', parent_columns), parent_rows) end;

comment on function service.reached_by(text, text[], text[], text, text[]) is
  'SQL text: these columns of the alias equal those columns of one of the parent rows.';

revoke all on function service.reached_by(text, text[], text[], text, text[]) from public;
--! EndIncluded read/reached_by.sql
--! Included read/relation_from.sql
create or replace function service.relation_from(relation service.relations, source_alias text, target_alias text) returns text
  language sql stable
begin atomic
  select case
    when relation.junction_table is null then
      format('%I.%I %s where %s', c.schema_name, c.table_name, target_alias,
        service.column_pairs(target_alias, relation.target_columns, service.equals(relation, false), source_alias, relation.local_columns))
    else
      format('%I.%I %5$sj join %3$I.%4$I %5$s on %6$s where %7$s', relation.junction_schema, relation.junction_table, c.schema_name, c.table_name, target_alias,
        service.column_pairs(target_alias, relation.target_columns, service.equals(relation, false), target_alias || 'j', relation.junction_target),
        service.column_pairs(target_alias || 'j', relation.junction_source, service.equals(relation, true), source_alias, relation.local_columns))
  end || service.live(relation.target, target_alias)
  from service.collections c
  where c.slug = relation.target;
end;

comment on function service.relation_from(service.relations, text, text) is
  'SQL text after FROM that reaches the related rows (alias target) of one row (alias source), with its WHERE begun. Deleted ones that are kept are not among them.';

revoke all on function service.relation_from(service.relations, text, text) from public;
--! EndIncluded read/relation_from.sql
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
    select format(' and exists (select from %I.%I %s%s where %s%s%s%s)', c.schema_name, c.table_name, parent_alias,
      case when relation.junction_table is null then '' else format(', %I.%I %sj', relation.junction_schema, relation.junction_table, parent_alias) end,
      case when relation.junction_table is null then service.column_pairs(alias, relation.target_columns, service.equals(relation, false), parent_alias, relation.local_columns)
        else service.column_pairs(alias, relation.target_columns, service.equals(relation, false), parent_alias || 'j', relation.junction_target) || ' and '
          || service.column_pairs(parent_alias || 'j', relation.junction_source, service.equals(relation, true), parent_alias, relation.local_columns) end,
      service.key_predicate(parent, parent_alias, path ->> (depth - 2)),
      service.live(parent, parent_alias),
      coalesce(service.scope(path - (depth - 1) - (depth - 2), parent_alias), ''))
    from service.collections c where c.slug = parent);
end $$;

comment on function service.scope(jsonb, text) is
  'SQL text (beginning with and) that holds the rows of a nested path [slug, id, relation, …] to those its parents reach; null for a root path.';

revoke all on function service.scope(jsonb, text) from public;
--! EndIncluded read/scope.sql
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
end $$;

comment on function service.include_relation(service.relations, text, text, jsonb, text[]) is
  'SQL text for one included relation: the CTE of its rows (limit a parent, in order), those of the relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column. To-one is an object or null, to-many an array; rows of a junction with columns of its own carry these as _pivot.';

revoke all on function service.include_relation(service.relations, text, text, jsonb, text[]) from public;
--! EndIncluded read/include_relation.sql
--! Included read/include.sql
-- Included relations, set-based: one query a hop for all rows of the level above, never one a row. Every level is a
-- materialized CTE of its rows and, on the way back up, one of their JSON grouped by the column that leads to them.
create or replace function service.include(collection text, rows_name text, node jsonb, roles text[], out ctes text, out joins text, out columns text)
  language plpgsql stable as $$
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
end $$;

comment on function service.include(text, text, jsonb, text[]) is
  'SQL text for the included relations of a set of rows (a CTE): further CTEs, the joins to them (alias t for the rows) and the columns they add. GW400 DISTINCT_NOT_APPLICABLE {relation, collection, fields} when a distinct read leaves out the columns that lead there, and as service.included_relations.';

revoke all on function service.include(text, text, jsonb, text[]) from public;
--! EndIncluded read/include.sql
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
    perform service.include(collection, 'page', whole, roles);
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
--! Included read/key_predicate.sql
create or replace function service.key_predicate(collection text, alias text, parameter text) returns text
  language sql stable
begin atomic
  select case when count(*) > 1 then format(' and cardinality(service.id_parts($%s::text)) = %s', parameter, count(*)) else '' end
    || string_agg(format(' and %s.%I %s %s', alias, p.column_name, service.operator_name(p.sql_type, '='),
      case when cardinality(c.key) = 1 then service.value(parameter::integer, p.sql_type)
        else format('(service.id_parts($%s::text))[%s]::%s', parameter, k.n, p.sql_type) end), '' order by k.n)
  from service.collections c, unnest(c.key) with ordinality k (name, n)
    join service.properties p on p.name = k.name
  where c.slug = key_predicate.collection and p.collection = key_predicate.collection;
end;

comment on function service.key_predicate(text, text, text) is
  'SQL text (beginning with and) of "this row has the id in that parameter". The parts of a composite key stand in one parameter (service.id_parts).';

revoke all on function service.key_predicate(text, text, text) from public;
--! EndIncluded read/key_predicate.sql
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
      branches := format('%s and (%s %s %s or (%4$s is null and %2$s is not null))', ties, keys.expression, service.operator_name(keys.sql_type, '<'), value) || branches;
      ties := ties || format(' and %s is not distinct from %s', keys.expression, value);
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
end $$;

comment on function service.cursor_branches(text, text, jsonb, text[]) is
  'The predicates (each beginning with and) that together hold the rows strictly after shape.after, in the order in which they follow each other.';

revoke all on function service.cursor_branches(text, text, jsonb, text[]) from public;
--! EndIncluded read/cursor_branches.sql
--! Included read/comparison.sql
create or replace function service.comparison(expression text, property service.properties, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record := service.operand(property.name, condition);
  kind text := case when property.type in ('reference', 'relation') then 'string' else property.type end;
  symbol text := split_part(op.template, ' ', 2);
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
      case when kind = 'array' then '=' else symbol end)) then
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
    when kind <> 'array' and op.takes in ('scalar', 'list') then
      format(replace(op.template, format(' %s ', symbol), format(' %s ', service.operator_name(item_type, symbol))), expression, service.value(op.parameter, item_type, op.list))
    else
      format(op.template, expression, service.value(op.parameter, item_type, op.list))
  end;
end $$;

comment on function service.comparison(text, service.properties, jsonb) is
  'SQL text of one condition [operator, parameter] on a column expression. GW400 as service.operand, INVALID_FILTER_FIELD (a type that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';

revoke all on function service.comparison(text, service.properties, jsonb) from public;
--! EndIncluded read/comparison.sql
--! Included read/composite_membership.sql
-- The parts of a composite key do not stand in one value, so rows are compared by their parts as they are shown, in one
-- JSON text, which is NULL where a part is. An id of other parts than the key's is no row's.
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
end $$;

comment on function service.composite_membership(service.relations, text, jsonb, text) is
  'SQL text of a condition on a relation whose target has a composite key, its ids written as in a path (service.id_parts). positive: the operator that a negative one denies, or the operator itself.';

revoke all on function service.composite_membership(service.relations, text, jsonb, text) from public;
--! EndIncluded read/composite_membership.sql
--! Included read/search_predicate.sql
-- Substrings, case-insensitive, over the text columns that this caller may read. No such column: no row, never all.
create or replace function service.search_predicate(collection text, alias text, roles text[]) returns text
  language sql stable
begin atomic
  select case when count(*) = 0 then ' and false' else
    format(' and not exists (select from unnest(ctx.patterns) p where not coalesce(%s, false))',
      string_agg(format('coalesce(%s.%I%s%s ilike p, false)', alias, c.column_name, case when c.sql_type in ('text', 'character varying', 'bpchar') then '' else '::text' end,
        case when service.takes_patterns(c.collection, c.column_name) then '' else ' collate pg_catalog."default"' end), ' or ' order by c.position)) end
  from service.properties c
  where c.collection = search_predicate.collection and c.type = 'string' and not c.excluded and service.readable(c, roles)
    and (c.sql_type in ('text', 'character varying', 'bpchar') or c.sql_type ~ '^(.*\.)?citext$') and not c.attributes ? 'enum';
end;

comment on function service.search_predicate(text, text, text[]) is
  'SQL text (beginning with and) of a substring search: every pattern of ctx.patterns matches in some text column that these roles may read.';

revoke all on function service.search_predicate(text, text, text[]) from public;
--! EndIncluded read/search_predicate.sql
--! Included write/is_readable_id.sql
-- An id that cannot be of the key's type names no row. Most ids are plain, and cost one look.
create or replace function service.is_readable_id(id text, key_types jsonb) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
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
end $$;

comment on function service.is_readable_id(text, jsonb) is 'Whether an id can be of the types of a key.';

revoke all on function service.is_readable_id(text, jsonb) from public;
grant execute on function service.is_readable_id(text, jsonb) to service_user;
--! EndIncluded write/is_readable_id.sql
--! Included write/moved_fields.sql
create or replace function service.moved_fields(request jsonb, plan jsonb) returns text[]
  language plpgsql stable as $$
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
end $$;

comment on function service.moved_fields(jsonb, jsonb) is 'The names under which an update sends another key than that of its row, compared as text; null when it does not.';

revoke all on function service.moved_fields(jsonb, jsonb) from public;
--! EndIncluded write/moved_fields.sql
--! Included write/insert_statement.sql
-- Without the key nothing of the row is read, so that who may write and not read can.
create or replace function service.insert_statement(served service.collections, sent text[], returns_key boolean) returns text
  language sql stable
begin atomic
  select format('insert into %I.%I %s returning %s', served.schema_name, served.table_name,
    case when count(*) = 0 then 'default values'
      else format('(%s) select %s%s', string_agg(quote_ident(w.column_name), ', ' order by w.column_name), string_agg(w.expression, ', ' order by w.column_name),
        ' from ' || service.sent_record(array_agg(w.field order by w.column_name), array_agg(w.read_as order by w.column_name))) end,
    case when returns_key then (
      select string_agg(format(case when cardinality(served.key) = 1 then '%I::text' else 'replace(replace(%I::text, ''%%'', ''%%25''), '':'', ''%%3A'')' end, p.column_name), ' || '':::'' || ' order by k.n)
      from unnest(served.key) with ordinality k (name, n) join service.properties p on p.collection = served.slug and p.name = k.name) else '''''' end)
  from service.written_columns(served, 'create', sent) w;
end;

comment on function service.insert_statement(service.collections, text[], boolean) is
  'SQL text that inserts a body ($1) with these names, and returns the new id as text when asked, else a blank.';

revoke all on function service.insert_statement(service.collections, text[], boolean) from public;
--! EndIncluded write/insert_statement.sql
drop function service.column_pairs(text, text[], text, text[]);
drop function service.reached_by(text, text[], text, text[]);

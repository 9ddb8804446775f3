--! Previous: sha1:2b10782d2ed4d0aca58f47eb3c065b76b0d7c6a9
--! Hash: sha1:a530eb379d9dc2f1a3d575eb306d6209247d79c5

-- Soft deletes: deleted rows that are kept, and what leaves them out.
--! Included read/deletion_stamp.sql
create or replace function service.deletion_stamp(collection text) returns text
  language sql stable
begin atomic
  select p.column_name
  from service.collections c
  join service.properties p on p.collection = c.slug
    and p.name = case c.definition -> 'softDelete' when 'true' then 'deletedAt' else c.definition #>> '{softDelete,field}' end
  where c.slug = deletion_stamp.collection;
end;

comment on function service.deletion_stamp(text) is
  'The column that says when a row of the collection was deleted (softDelete in its file); null for a collection whose rows are really deleted.';

revoke all on function service.deletion_stamp(text) from public;
--! EndIncluded read/deletion_stamp.sql
--! Included read/live.sql
create or replace function service.live(collection text, alias text, deleted text default null) returns text
  language sql stable
begin atomic
  select case
    when live.deleted = 'include' then ''
    -- Where deleted rows are not kept, none is there.
    when s.stamp is null then case live.deleted when 'only' then ' and false' else '' end
    else format(' and %s.%I is %snull', alias, s.stamp, case live.deleted when 'only' then 'not ' else '' end)
  end
  from (select service.deletion_stamp(live.collection)) s (stamp);
end;

comment on function service.live(text, text, text) is
  'SQL text (beginning with and) that leaves out the rows that a soft delete has stamped; with deleted = include nothing, with only it leaves out the others.';

revoke all on function service.live(text, text, text) from public;
--! EndIncluded read/live.sql
--! Included read/narrowing.sql
-- What narrows a read besides its conditions; in the page, in its total, in counts and in aggregates alike.
create or replace function service.narrowing(collection text, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select concat(
    service.scope(shape -> 'path', 't'),
    case when shape ? 'search' then coalesce(service.ranked_predicate(service.readable_search(collection, roles)), service.search_predicate(collection, 't', roles)) end,
    case when shape ? 'vector' then service.vector_predicate(collection, 't', shape -> 'vector', roles) end,
    service.live(collection, 't', shape ->> 'deleted'));
end;

comment on function service.narrowing(text, jsonb, text[]) is
  'SQL text (each part beginning with and) of what a read is held to by its path, its search, its vector threshold and its deleted parameter; '''' when nothing does.';

revoke all on function service.narrowing(text, jsonb, text[]) from public;
--! EndIncluded read/narrowing.sql
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
  end || service.live(relation.target, target_alias)
  from service.collections c
  where c.slug = relation.target;
end;

comment on function service.relation_from(service.relations, text, text) is
  'SQL text after FROM that reaches the related rows (alias target) of one row (alias source), with its WHERE begun. Deleted ones that are kept are not among them.';

revoke all on function service.relation_from(service.relations, text, text) from public;
--! EndIncluded read/relation_from.sql
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
  source text;
begin
  select c.* into target from service.collections c where c.slug = relation.target;
  nested := service.include(relation.target, rows_name, node, roles);
  source := case when relation.junction_table is null
    then format('select t.* from %I.%I t where ctx.ok and %s', target.schema_name, target.table_name,
      service.reached_by('t', relation.target_columns, parent_rows, relation.local_columns))
    else format('select t.*, %s from %I.%I j join %I.%I t on %s where ctx.ok and %s',
      (select string_agg(format('j.%I as %I', u.name, u.alias), ', ') from (
        select * from unnest(relation.junction_source, back) s (name, alias) union all select p.column_name, p.alias from service.pivot_columns(relation, prefix) p) u),
      relation.junction_schema, relation.junction_table, target.schema_name, target.table_name,
      service.column_pairs('t', relation.target_columns, 'j', relation.junction_target),
      service.reached_by('j', relation.junction_source, parent_rows, relation.local_columns)) end
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
  joins := format(' left join %I on %s', rows_name || '_json', service.column_pairs(quote_ident(rows_name || '_json'), back, 't', relation.local_columns));
  columns := format(case relation.kind when 'belongsTo' then ', %I.%s as %I' when 'hasOne' then ', %I.%s -> 0 as %I' else ', coalesce(%I.%s, ''[]'') as %I' end, rows_name || '_json', json, relation.name);
end $$;

comment on function service.include_relation(service.relations, text, text, jsonb, text[]) is
  'SQL text for one included relation: the CTE of its rows (limit a parent, in order), those of the relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column. To-one is an object or null, to-many an array; rows of a junction with columns of its own carry these as _pivot.';

revoke all on function service.include_relation(service.relations, text, text, jsonb, text[]) from public;
--! EndIncluded read/include_relation.sql
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
      case when relation.junction_table is null then service.column_pairs(alias, relation.target_columns, parent_alias, relation.local_columns)
        else service.column_pairs(alias, relation.target_columns, parent_alias || 'j', relation.junction_target) || ' and '
          || service.column_pairs(parent_alias || 'j', relation.junction_source, parent_alias, relation.local_columns) end,
      service.key_predicate(parent, parent_alias, path ->> (depth - 2)),
      service.live(parent, parent_alias),
      coalesce(service.scope(path - (depth - 1) - (depth - 2), parent_alias), ''))
    from service.collections c where c.slug = parent);
end $$;

comment on function service.scope(jsonb, text) is
  'SQL text (beginning with and) that holds the rows of a nested path [slug, id, relation, …] to those its parents reach; null for a root path.';

revoke all on function service.scope(jsonb, text) from public;
--! EndIncluded read/scope.sql
--! Included write/refuse_stamp.sql
create or replace function service.refuse_stamp(collection text, field text) returns void
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform service.fail(400, 'FIELD_NOT_WRITABLE', format('%s is set by deleting the row. Null restores it.', field),
    service.violation_details(collection, array[field], 'soft_delete', '%s is set by deleting the row. Null restores it.'));
end $$;

comment on function service.refuse_stamp(text, text) is 'GW400 FIELD_NOT_WRITABLE, violation soft_delete: an update may not delete.';

revoke all on function service.refuse_stamp(text, text) from public;
grant execute on function service.refuse_stamp(text, text) to service_user;
--! EndIncluded write/refuse_stamp.sql
--! Included write/write_plan.sql
-- Everything about a write that needs the catalog, which the end-user role cannot read, and that its values do not
-- change: the gateway keeps it by shape. What comes back is plain SQL that runs as the caller.
create or replace function service.write_plan(shape jsonb, roles text[]) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  served service.collections;
  op text := shape ->> 'op';
  sent text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  minimal boolean := shape ->> 'return' is not distinct from 'minimal';
  key text;
  stamp text := service.deletion_stamp(shape ->> 'collection');
  stamp_sent text;
  found text;
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
  return jsonb_strip_nulls(jsonb_build_object(
    'fields', service.judged_fields(served, op, sent),
    'sentKey', (select jsonb_agg(s.field) from service.sent_fields(served, sent) s where (s.property).name = any (served.key)),
    'twice', (select true from service.sent_fields(served, sent) s group by (s.property).column_name having count(*) > 1 limit 1),
    'missing', case op when 'create' then service.missing_fields(served, sent) end,
    'statement', case op
      when 'create' then service.insert_statement(served, sent, not minimal)
      when 'update' then service.update_statement(served, sent, found)
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
end $$;

comment on function service.write_plan(jsonb, text[]) is
  'The plan of writes of one shape (service.write_shape), for callers with these roles. fields: how values are judged (service.judged_fields); sentKey: the names that mean the key; twice: a column is sent by two names; missing: violations of what a create leaves out; statement ($1 = body, $2 = id; returns the new id of a create that is answered with its row, else a blank), visible ($2 = id; a row when the caller sees it), reply ($1 = claims, $2 = id): SQL text, parameters text; keyTypes: the types of the id; stamp: the name by which an update sends the column of a soft delete. Errors that values do not decide, as service.write.';

revoke all on function service.write_plan(jsonb, text[]) from public;
grant execute on function service.write_plan(jsonb, text[]) to service_user;
--! EndIncluded write/write_plan.sql
--! Included write/write.sql
-- One write, in the caller's own implicit transaction: enter, check what was sent, run it as the caller under row
-- security, read the row back as the caller may read it. Nothing here catches an error: a failed write leaves nothing.
-- plan: what the gateway keeps of service.write_plan; without one it is made here, which costs some milliseconds. A plan
-- that is kept comes from a gateway, whose transaction ends with this call: it is simply left read-only.
-- An assignment calls a function at a third of what PERFORM costs.
create or replace function service.write(claims text, request jsonb, plan jsonb default null) returns json
  language plpgsql volatile as $$
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
end $$;

comment on function service.write(text, jsonb, jsonb) is
  'Creates, updates or deletes one row as the caller with these claims. request: {"op": "create"|"update"|"delete", "path": [slug] or [slug, id], "body": object, "return": "minimal"?, "fields": [names]?, "hard": true?}. A delete in a collection with softDelete stamps the row, unless it is hard; an update that sets the stamp to null restores it. Returns the row as this caller reads it; null for delete and return=minimal. Errors: GW400 VALIDATION_EXCLUDED_FIELDS, FIELD_NOT_WRITABLE, VALIDATION_UNKNOWN_FIELDS, RELATION_NOT_WRITABLE, UNKNOWN_RESPONSE_FIELD, FIELD_NOT_READABLE, INVALID_FIELD_OPERATION, VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE, KEY_IMMUTABLE; GW403 WRITE_DENIED; GW404 NOT_FOUND; GW501 NOT_IMPLEMENTED; and the database''s own, rolled back as a whole.';

revoke all on function service.write(text, jsonb, jsonb) from public;
grant execute on function service.write(text, jsonb, jsonb) to service_user;
--! EndIncluded write/write.sql
--! Included write/write_shape.sql
-- A blank key asks for one to be made, as if it had not been sent.
create or replace function service.write_shape(request jsonb) returns jsonb
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select jsonb_strip_nulls(jsonb_build_object('op', request -> 'op', 'collection', request -> 'path' -> 0, 'return', request -> 'return', 'hard', request -> 'hard', 'fields', request -> 'fields',
    'body', (
      select coalesce(jsonb_agg(b.key), '[]')
      from jsonb_each(request -> 'body') b
      where not (request ->> 'op' = 'create' and b.value in ('null', '""') and exists (
        select from service.collections c join service.properties p on p.collection = c.slug and p.name = any (c.key)
        where c.slug = request -> 'path' ->> 0 and b.key in (p.name, p.column_name))))));
end;

comment on function service.write_shape(jsonb) is
  'What service.write_plan needs to know of a write: {op, collection, body: [names], return?, fields?, hard?}, its values left out; names of a blank key too, when it creates.';

revoke all on function service.write_shape(jsonb) from public;
grant execute on function service.write_shape(jsonb) to service_user;
--! EndIncluded write/write_shape.sql
drop function service.remove(text, text, jsonb);
--! Included write/remove.sql
create or replace function service.remove(collection text, id text, claims jsonb default service.service_claims(), hard boolean default false) returns void
  language sql volatile
begin atomic
  select service.change(jsonb_build_object('op', 'delete', 'path', jsonb_build_array(collection, id)) || case when hard then '{"hard": true}'::jsonb else '{}' end, claims);
end;

comment on function service.remove(text, text, jsonb, boolean) is
  'What DELETE /data/<collection>/<id> does. claims: the caller, by default the service key. hard: as ?hard=true. Errors as service.write.';

revoke all on function service.remove(text, text, jsonb, boolean) from public;
--! EndIncluded write/remove.sql
--! Included rules/collection_policies.sql
create or replace function service.collection_policies()
  returns table (schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with rule as (
    select t.*, t.table_name as stem, a.suffix, a.rule, 'the default for ' || c.slug as origin
    from service.wanted_tables() t
    join service.collections c on c.slug = t.collection
    cross join service.admin_rules() a
    where not coalesce((c.definition ->> 'disableDefaultPolicies')::boolean, false)
    union all
    select t.*, coalesce(r.rule ->> 'name', t.table_name), case when r.rule ? 'name' then '' end, r.rule, format('%s.securityRules[%s]', c.slug, r.n - 1)
    from service.wanted_tables() t
    join service.collections c on c.slug = t.collection
    cross join jsonb_array_elements(case jsonb_typeof(c.definition -> 'securityRules') when 'array' then c.definition -> 'securityRules' else '[]' end) with ordinality r (rule, n)
  )
  , wanted as (
    select r.*, o.*, r.rule ->> 'mode' is distinct from 'restrictive' as permissive,
      array(select jsonb_array_elements_text(case jsonb_typeof(r.rule -> 'pgRoles') when 'array' then r.rule -> 'pgRoles' else '["public"]' end)) as roles,
      case when o.operation <> 'insert' then service.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'using') end as using_clause
    from rule r
    cross join service.rule_operations(r.rule) o
  )
  select r.schema_name, r.table_name, r.oid, r.stem, r.suffix || case when r.several then '_' || r.operation else '' end,
    r.permissive, r.operation, r.roles, r.using_clause,
    case when r.operation in ('insert', 'update', 'all') then service.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'check') end,
    r.origin
  from wanted r
  union all
  -- A soft delete is an UPDATE, and the rules of deleting decide it, not those of updating: who may delete may leave a row stamped,
  select r.schema_name, r.table_name, r.oid, r.stem, null, r.permissive, 'update', r.roles, case when r.permissive then r.using_clause else 'true' end,
    case when r.permissive then format('%I.%I is not null and (%s)', r.table_name, r.soft_delete, r.using_clause) else format('%I.%I is null or (%s)', r.table_name, r.soft_delete, r.using_clause) end,
    r.origin
  from wanted r
  where r.soft_delete is not null and r.operation = 'delete'
  union all
  -- and nobody else may.
  select r.schema_name, r.table_name, r.oid, r.table_name, null, false, 'update', array['public'], 'true',
    format('%I.%I is null or (%s)', r.table_name, r.soft_delete, string_agg(distinct '(' || r.using_clause || ')', ' or ')), 'softDelete of ' || r.collection
  from wanted r
  where r.soft_delete is not null and r.operation in ('delete', 'all') and r.permissive
  group by r.schema_name, r.table_name, r.oid, r.soft_delete, r.collection;
end;

comment on function service.collection_policies() is
  'The policies that the security rules of collection files ask for, and the default ones. suffix is null where the name is made from the meaning.';

revoke all on function service.collection_policies() from public;
--! EndIncluded rules/collection_policies.sql
-- Eras, patterns, and statements that can be read.
--! Included read/scalar_value.sql
-- Dates are ISO 8601 in UTC with milliseconds, those before the year 1 with PostgreSQL's BC, as it reads them; JSON has no infinity and no NaN, so they are null; numbers keep every
-- digit; what JSON has no form for is PostgreSQL's own text.
-- inet::text would add the length of the net to every address.
create or replace function service.scalar_value(expression text, sql_type text) returns text
  language sql immutable parallel safe
  return case
    when sql_type = 'timestamp with time zone' then format('case when isfinite(%1$s) then to_char(%1$s at time zone ''UTC'', case when %1$s < ''0001-01-01 00:00+00'' then ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z BC"'' else ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'' end) end', expression)
    when sql_type = 'timestamp without time zone' then format('case when isfinite(%1$s) then to_char(%1$s, case when %1$s < ''0001-01-01'' then ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z BC"'' else ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'' end) end', expression)
    when sql_type = 'date' then format('case when isfinite(%1$s) then %1$s end', expression)
    when sql_type in ('numeric', 'real', 'double precision') then format('case when %1$s < ''Infinity'' and %1$s > ''-Infinity'' then %1$s end', expression)
    when sql_type = 'money' then expression || '::numeric'
    when sql_type = 'bytea' then format('translate(encode(%s, ''base64''), chr(10), '''')', expression)
    when sql_type ~ '(^|\.)(vector|halfvec)$' then expression || '::text::json'
    when sql_type in ('smallint', 'integer', 'bigint', 'boolean', 'text', 'character varying', 'bpchar', 'uuid', 'inet', 'json', 'jsonb') then expression
    else expression || '::text'
  end;

comment on function service.scalar_value(text, text) is
  'SQL text of a value of a type that is no array, as it stands in JSON: UTC dates with milliseconds, finite numbers with every digit, base64 for bytea, arrays of numbers for vectors, text for whatever JSON does not know.';

revoke all on function service.scalar_value(text, text) from public;
--! EndIncluded read/scalar_value.sql
--! Included read/broken_lines.sql
-- What stands between quotes is passed over: a line break inside a literal would be another literal.
create or replace function service.broken_lines(statement text) returns text
  language sql immutable parallel safe
begin atomic
  select string_agg(case when p.n % 2 = 1
      then regexp_replace(p.part, ' (?=(from|cross join|left join|join|where|and|or|order by|group by|limit|offset|union all)\M)|(?<=[(,] ?)(?=select\M)', E'\n', 'g')
      else p.part end, '''' order by p.n)
  from regexp_split_to_table(broken_lines.statement, '''') with ordinality p (part, n);
end;

comment on function service.broken_lines(text) is 'A statement in lines that a reader can follow, the same SQL.';

revoke all on function service.broken_lines(text) from public;
--! EndIncluded read/broken_lines.sql
--! Included read/explain.sql
create or replace function service.explain(collection text, request json default '{}', claims jsonb default service.service_claims()) returns setof text
  language plpgsql volatile as $$
declare
  routed json := service.with_route('list', array[collection], request);
begin
  return query select * from string_to_table(service.broken_lines((service.compile((service.hoist(routed)).shape, service.claimed_roles(claims))).statement), E'\n');
  return query select * from service.run(routed, claims, 'explain (analyze, buffers)');
end $$;

comment on function service.explain(text, json, jsonb) is
  'The statement of a list, then its plan, run for real as the caller with these claims (by default the service key).';

revoke all on function service.explain(text, json, jsonb) from public;
--! EndIncluded read/explain.sql

--! Previous: sha1:1295c1fb25c7346e56144101dfde8b6374630d0f
--! Hash: sha1:d45840837f777ad57e0d97d6523222ad076ac290

-- A row's tag, for ETag and If-None-Match.
--! Included read/row_version.sql
create or replace function service.row_version(collection text, alias text) returns text
  language sql stable
begin atomic
  select case when r.relkind = 'v' then '' else format(', %s.xmin as %I', alias, service.unused_prefix(row_version.collection) || 'xmin') end
  from service.collections c
  join pg_class r on r.oid = to_regclass(format('%I.%I', c.schema_name, c.table_name))
  where c.slug = row_version.collection;
end;

comment on function service.row_version(text, text) is 'SQL text (beginning with a comma) of what rows carry beside their columns so that service.row_tag can tell their version; '''' for views, which have none.';

revoke all on function service.row_version(text, text) from public;
--! EndIncluded read/row_version.sql
--! Included read/row_tag.sql
-- xmin, the transaction that wrote the row's version: it changes with every write, whoever makes it, and says nothing
-- of any column, so that no caller can guess at one it may not read. Hashing the row itself would cost a fifth of the
-- statement (12 of 57 microseconds of the example's products), this costs 3.5. An update that changes no value makes a new tag all the same.
-- The seed stands for what xmin does not cover: the server and database (a restored copy counts its transactions anew),
-- and the columns as these roles read them (a column added with a default leaves xmin alone).
-- A view has no xmin, so there it is the columns themselves, only those that these roles may read.
create or replace function service.row_tag(collection text, alias text, roles text[]) returns text
  language sql stable
begin atomic
  select format('to_hex(hashtextextended(%s, %L))',
    case when r.relkind = 'v' then format('row(%s)::text', string_agg(format('%s.%I', alias, p.column_name), ', ' order by p.position))
      else format('%s.%I::text', alias, service.unused_prefix(row_tag.collection) || 'xmin') end,
    hashtextextended(concat_ws(' ', (select s.system_identifier from pg_control_system() s), (select d.oid from pg_database d where d.datname = current_database()), r.oid,
      jsonb_agg(jsonb_build_array(p.name, p.column_name, p.sql_type) order by p.position)), 0))
  from service.collections c
  join pg_class r on r.oid = to_regclass(format('%I.%I', c.schema_name, c.table_name))
  join service.properties p on p.collection = c.slug and not p.excluded and service.readable(p, roles)
  where c.slug = row_tag.collection
  group by r.relkind, r.oid;
end;

comment on function service.row_tag(text, text, text[]) is
  'SQL text of the tag of a stored row, hexadecimal, for rows that have service.row_version beside their columns: it changes with every write to the row, and differs between callers who read different columns. The API sends it as ETag.';

revoke all on function service.row_tag(text, text, text[]) from public;
--! EndIncluded read/row_tag.sql
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
  return format('select r.body, r.tag from (select service.enter($1) as ok offset 0) ctx cross join lateral (%sselect to_json(%s) as body, %s as tag from %s t%s cross join lateral (select %s) d offset 0) r',
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    service.shown_row(collection, 'd'),
    service.row_tag(collection, 't', roles),
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns);
end $$;

comment on function service.statement_get(text, jsonb, text[]) is
  'The statement of a single row: body is the row as a JSON object, tag what tells this version of the row from others (service.row_tag); no row when it does not exist, is hidden by row security, lies outside its parents, or does not match the filters.';

revoke all on function service.statement_get(text, jsonb, text[]) from public;
--! EndIncluded read/statement_get.sql
drop function service.compile(jsonb, text[]);
--! Included read/compile.sql
-- The one place that writes the SQL of a data request. The gateway caches the text by shape and runs it as a prepared
-- statement; service.list runs the same text.
create or replace function service.compile(shape jsonb, roles text[], out statement text, out lane text, out enter_first boolean, out revalidates boolean)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  collection text := service.path_collection(shape -> 'path');
begin
  if shape ? 'after' then
    perform service.require_cursor(collection, shape, roles);
  end if;
  statement := case shape ->> 'op'
    when 'list' then service.statement_list(collection, shape, roles)
    when 'get' then service.statement_get(collection, shape, roles)
    when 'count' then service.statement_count(collection, shape, roles)
    when 'aggregate' then service.statement_aggregate(collection, shape, roles)
  end;
  enter_first := service.needs_entering(statement);
  -- A transaction of several statements needs a connection for itself.
  lane := case when shape ->> 'op' = 'get' and not enter_first then 'point' else 'scan' end;
  revalidates := shape ->> 'op' = 'get' and not shape ? 'include'
    and not exists (select from service.collections c where c.slug = collection and c.callbacks ? 'afterRead');
end $$;

comment on function service.compile(jsonb, text[]) is
  'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include, search, vector, select, groupBy …}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before (partitioned tables whose policies call identity functions bare). revalidates: the answer depends on nothing but the row, so while its tag stands the answer stands (no related rows, no afterRead). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 for what is parsed but not compiled.';

revoke all on function service.compile(jsonb, text[]) from public;
--! EndIncluded read/compile.sql
--! Included read/get.sql
create or replace function service.get(collection text, id text, request json default '{}', claims jsonb default service.service_claims()) returns json
  language sql volatile
  return (select r::json from service.run(service.with_route('get', array[collection, id], request), claims) r);

comment on function service.get(text, text, json, jsonb) is
  'The answer of GET /data/<collection>/<id>, as JSON; null where the API says 404. Its ETag is service.row_tag, the second column of the statement. request: {where, logical, orderBy, limit, offset, after, fields, include, count}, see service.hoist. claims: the caller, by default the service key.';

revoke all on function service.get(text, text, json, jsonb) from public;
--! EndIncluded read/get.sql

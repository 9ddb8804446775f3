--! Previous: sha1:4a8eb9a74b7ce35e21af587a30c837f33156d456
--! Hash: sha1:1295c1fb25c7346e56144101dfde8b6374630d0f

--! Included read/cursor_mac.sql
-- HMAC-SHA256 (RFC 2104) from the built-in sha256: a cursor is signed in the statement that issues it, and no
-- extension is needed. The key is stored padded. PL/pgSQL because its plan is kept: as a SQL function, whose body is
-- read and planned again in every statement, it cost a fifth of a list of 50 rows.
create or replace function service.cursor_mac(payload text) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  key service.cursor_key := (select s from service.cursor_key s);
begin
  return service.base64url(substr(sha256(key.outer_key || sha256(key.inner_key || convert_to(payload, 'UTF8'))), 1, 16));
end $$;

comment on function service.cursor_mac(text) is 'The first 128 bits of HMAC-SHA256 over a payload under this database''s cursor key, base64url.';

revoke all on function service.cursor_mac(text) from public;
--! EndIncluded read/cursor_mac.sql
--! Included read/total.sql
-- A page that has no next one, and was not reached by a cursor, knows the total; else it is counted under the very
-- same predicate. "estimated" stops counting at 10,001, which never says more than row security allows.
create or replace function service.total(collection text, shape jsonb, narrowing text, roles text[], page_size text, page_offset text) returns text
  language plpgsql stable as $$
declare
  counted text := (
    select format('(select c.count from (select count(*) from (select%s from %I.%I t where true%s%s%s) c) c where ctx.ok)',
      case when shape ? 'distinct' and shape ? 'fields' then ' ' || service.page_columns(collection, shape) else '' end, c.schema_name, c.table_name, narrowing,
      coalesce(service.predicate(collection, 't', shape, roles), ''), case when shape ->> 'count' = 'estimated' then ' limit 10001' else '' end)
    from service.collections c where c.slug = collection);
begin
  return case when shape ? 'after' then counted
    else format('case when count(*) <= %s and (count(*) > 0 or %s = 0) then %2$s + count(*) else %s end', page_size, page_offset, counted) end;
end $$;

comment on function service.total(text, jsonb, text, text[], text, text) is
  'SQL text of meta.total, for use beside count(*) over the page.';

revoke all on function service.total(text, jsonb, text, text[], text, text) from public;
--! EndIncluded read/total.sql
--! Included read/page.sql
create or replace function service.page(collection text, shape jsonb, narrowing text, roles text[]) returns text
  language plpgsql stable as $$
declare
  base text := (select format('select %s from %I.%I t where true', service.page_columns(collection, shape), c.schema_name, c.table_name) from service.collections c where c.slug = collection)
    || narrowing || coalesce(service.predicate(collection, 't', shape, roles), '');
  tail text := format(' order by %s limit %s', service.page_order(collection, shape, roles), shape -> 'limit' ->> 'bucket');
begin
  if shape ? 'after' then
    return (
      select string_agg(format('(%s%s%s)', base, branch, tail), ' union all ' order by n)
      from unnest(service.cursor_branches(collection, 't', shape, roles)) with ordinality b (branch, n));
  end if;
  return base || tail || coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '');
end $$;

comment on function service.page(text, jsonb, text, text[]) is
  'SQL text of the rows of one page, whole rows in order, one more than the limit at least. The limit stands rounded up as a literal, so that the planner sees its size and shapes stay few.';

revoke all on function service.page(text, jsonb, text, text[]) from public;
--! EndIncluded read/page.sql
--! Included read/statement_count.sql
create or replace function service.statement_count(collection text, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select format('select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral (select concat(''{"count":'', c.count, ''}'') as body from (select count(*) from %I.%I t where true%s%s) c where ctx.ok offset 0) r',
    service.context_columns(shape), c.schema_name, c.table_name, service.narrowing(collection, shape, roles), coalesce(service.predicate(collection, 't', shape, roles), ''))
  from service.collections c where c.slug = collection;
end;

comment on function service.statement_count(text, jsonb, text[]) is 'The statement of a count: body = {"count":128}.';

revoke all on function service.statement_count(text, jsonb, text[]) from public;
--! EndIncluded read/statement_count.sql
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
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || 'select concat(''{"data":'', coalesce(json_agg(d.*), ''[]''), ''}'') as body from (select %s%s from %s%s) d where ctx.ok) r',
    service.context_columns(shape),
    coalesce(service.group_columns(collection, shape, roles, true) || ', ', ''),
    service.aggregate_columns(collection, shape, roles),
    source,
    case when groups is null then '' else format(' group by %s order by %s limit $%s::bigint%s', groups, service.aggregate_order(collection, shape),
      shape -> 'limit' ->> 'param', coalesce(' offset $' || (shape ->> 'offset') || '::bigint', '')) end);
end $$;

comment on function service.statement_aggregate(text, jsonb, text[]) is
  'The statement of an aggregate: body = {"data":[{group fields, count, sum_total …}]}; one row without groupBy.';

revoke all on function service.statement_aggregate(text, jsonb, text[]) from public;
--! EndIncluded read/statement_aggregate.sql
--! Included read/statement_list.sql
-- The page is fetched with one row more than asked for: that row says whether there is another page, and spares the
-- count when it is not there. The exact limit is a condition on the row number, which stops the scan as LIMIT would: as
-- LIMIT $n it makes a generic plan expect a tenth of the page, and scan 50,000 rows of an index for 51 (5.8 ms for 0.7).
create or replace function service.statement_list(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  narrowing text := service.narrowing(collection, shape, roles);
  rest record := service.include(collection, 'page', shape, roles);
  row_columns text := service.row_columns(collection, 't', shape, roles) || service.distance_column(collection, 't', shape, roles) || rest.columns;
  row_number text := quote_ident(service.unused_prefix(collection) || 'n');
  rows text := format('select * from (select t.*, row_number() over () as %1$s from (%2$s) t where ctx.ok) t where t.%1$s <= $%3$s::bigint + 1', row_number, service.page(collection, shape, narrowing, roles), shape -> 'limit' ->> 'param');
  page_size text := format('$%s::bigint', shape -> 'limit' ->> 'param');
  page_offset text := coalesce('$' || (shape ->> 'offset') || '::bigint', '0');
begin
  return format(
    'select r.body from (select service.enter($1) as ok%s offset 0) ctx cross join lateral ('
      || '%sselect concat(''{"data":'', coalesce(json_agg(%12$s%3$s) filter (where t.%s <= %s)::text, ''[]''), ''%s'
      || '"limit":'', %5$s, '',"offset":'', %7$s, '',"hasMore":'', case when count(*) > %5$s then %8$s else ''false'' end, ''}}'') as body '
      || 'from %9$s t%10$s cross join lateral (select %11$s) d) r',
    case when shape ? 'after' then format(', service.cursor_open(%L, $%s) as cursor', collection, shape -> 'after' ->> 'param') else '' end || service.context_columns(shape),
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    case when rest.ctes = '' then '' else ' order by t.' || row_number end,
    row_number,
    page_size,
    ',"meta":{' || case when shape ->> 'count' = 'none' then '' else '"total":'', ' || service.total(collection, shape, narrowing, roles, page_size, page_offset) || ', '',' end,
    page_offset,
    case when shape ?| array['vector', 'distinct'] then '''true''' else service.next_cursor(collection, shape, roles, 't.' || row_number, page_size) end,
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns,
    service.shown_row(collection, 'd'));
end $$;

comment on function service.statement_list(text, jsonb, text[]) is
  'The statement of a list: one row, one column body = {"data":[…],"meta":{total, limit, offset, hasMore, nextCursor}}.';

revoke all on function service.statement_list(text, jsonb, text[]) from public;
--! EndIncluded read/statement_list.sql

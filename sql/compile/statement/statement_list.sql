-- The page is fetched with one row more than asked for: that row says whether there is another page, and spares the
-- count when it is not there. The planner takes a LIMIT that is a parameter for a tenth of what lies below it, and would
-- scan 50,000 rows of an index for 51 (5.8 ms for 0.7): so ten times the bucket stands between the two.
-- Numbering the rows costs a tenth of a list of 50, so that is done only where they are joined again, or where the last
-- one's sort key must not be computed for all.
create or replace function service.statement_list(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
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
end $$;

comment on function service.statement_list(text, jsonb, text[]) is
  'The statement of a list: one row, one column body = {"data":[…],"meta":{total, limit, offset, hasMore, nextCursor}}.';

revoke all on function service.statement_list(text, jsonb, text[]) from public;

-- The page is fetched with one row more than asked for: that row says whether there is another page, and spares the
-- count when it is not there. The exact limit is a condition on the row number, which stops the scan as LIMIT would: as
-- LIMIT $n it makes a generic plan expect a tenth of the page, and scan 50,000 rows of an index for 51 (5.8 ms for 0.7).
create or replace function service.statement_list(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  narrowing text := service.narrowing(collection, shape, roles);
  rest record := service.include(collection, 'page', shape, roles);
  row_columns text := service.row_columns(collection, 't', shape, roles) || service.distance_column(collection, 't', shape, roles) || service.score_columns(collection, shape, roles) || rest.columns;
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
    case when shape ? 'after' then format(', service.cursor_open(%L, $%s) as cursor', collection, shape -> 'after' ->> 'param') else '' end || service.context_columns(collection, shape, roles) || coalesce(service.vector_scan(shape), ''),
    case when rest.ctes = '' then '' else format('with page as materialized (%s)%s ', rows, rest.ctes) end,
    case when rest.ctes = '' then '' else ' order by t.' || row_number end,
    row_number,
    page_size,
    ',"meta":{' || case when shape ->> 'count' = 'none' then '' else '"total":'', ' || service.total(collection, shape, narrowing, roles, page_size, page_offset) || ', '',' end,
    page_offset,
    case when shape ?| array['vector', 'distinct'] or service.sorts_by_score(collection, shape) then '''true''' else service.next_cursor(collection, shape, roles, 't.' || row_number, page_size) end,
    case when rest.ctes = '' then format('(%s)', rows) else 'page' end,
    rest.joins,
    row_columns,
    service.shown_row(collection, 'd'));
end $$;

comment on function service.statement_list(text, jsonb, text[]) is
  'The statement of a list: one row, one column body = {"data":[…],"meta":{total, limit, offset, hasMore, nextCursor}}.';

revoke all on function service.statement_list(text, jsonb, text[]) from public;

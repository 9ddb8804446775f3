-- The page is fetched with one row more than asked for: that row says whether there is another page, and spares the
-- count when it is not there. The planner takes a LIMIT that is a parameter for a tenth of what lies below it, and would
-- scan 50,000 rows of an index for 51 (5.8 ms for 0.7): so ten times the bucket stands between the two.
-- Numbering the rows costs a tenth of a list of 50, so that is done only where they are joined again, or where the last
-- one's sort key must not be computed for all.
create or replace function service_private.list_answer(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  conditions text[] := service_private.where_conditions(collection, shape, roles);
  included record := service_private.include(collection, 'page', shape, roles);
  columns text[] := service_private.shown_columns(collection, 't', shape, roles)
    || case when shape ? 'vector' then array[format('nullif(%s, ''NaN'') as "_distance"',
      service_private.vector_distance(collection, 't', shape -> 'vector', roles))] else '{}' end
    || service_private.score_columns(collection, shape, roles) || included.columns || service_private.path_pivot(shape -> 'path', shape);
  page_size text := format('$%s::bigint', shape -> 'limit' ->> 'param');
  has_cursor boolean := collection not like 'functions/%'
    and not (shape ?| array['vector', 'distinct'] or service_private.sorts_by_score(collection, shape));
  is_numbered boolean := included.ctes <> '{}' or (has_cursor and exists (
    select from service_private.order_keys(collection, 't', shape -> 'orderBy', roles) k
    join pg_catalog.pg_type y on y.oid = service_private.base_type(to_regtype(k.sql_type))
    where strpos(k.expression, '(') > 0 or y.typcategory = 'A'));
  row_number text := case when is_numbered then quote_ident(service_private.unused_prefix(collection) || 'n') end;
  rows text := service_private.fill($sql$
      select <columns>
      from (
        select t.*
        from (
          <page>
        ) t
        where ctx.ok
        limit <ten_buckets>
      ) t
      limit <page_size> + 1
    $sql$,
    'columns', concat_ws(', ', 't.*', 'row_number() over () as ' || row_number),
    'page', service_private.page(collection, shape, conditions, roles),
    'ten_buckets', ((shape -> 'limit' ->> 'bucket')::integer * 10)::text,
    'page_size', page_size);
  page record := service_private.page_source(rows, included.ctes);
begin
  return service_private.fill($sql$
      with <ctes?>
      select concat(
        '{"data":', coalesce(array_to_json((array_agg(<row>))[:<page_size>])::text, '[]'),
        ',"meta":{',
        '"total":', <total?>, ',',
        '"limit":', <page_size>, ',"offset":', <page_offset>, ',"hasMore":', case
          when count(*) > <page_size> then <more>
          else 'false'
        end, '}}') as body
      from <page> t
      <joins?>
      cross join lateral (
        select
          <columns?>
      ) d
    $sql$,
    'ctes', page.ctes,
    'row', concat_ws(' order by ', service_private.shown_row(collection, 'd'), case when included.ctes <> '{}' then 't.' || row_number end),
    'page_size', page_size,
    'total', case when shape ->> 'count' is distinct from 'none' then service_private.total(collection, shape, conditions, page_size) end,
    'page_offset', coalesce('$' || (shape ->> 'offset') || '::bigint', '0'),
    'more', case when has_cursor then service_private.next_cursor(collection, shape, roles, 't.' || row_number, page_size)
      else '''true''' end,
    'page', page.source,
    'joins', nullif(array_to_string(included.joins, E'\n'), ''),
    'columns', nullif(array_to_string(columns, E',\n'), ''));
end $$;

comment on function service_private.list_answer(text, jsonb, text[]) is
  'SQL text of the answer to a list behind the gate (service.compile): one row, one column body = {"data":[…],"meta":{total, '
  'limit, offset, hasMore, nextCursor}}.';

--! Previous: sha1:fc4b6bd33e6ee26272d3bd6703bfcff6abb6884f
--! Hash: sha1:0f0dfdc70ba50f490d6a9c3c064625ca70af670e

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
  perform service.order_keys(collection, 't', (
    select jsonb_agg(k.value order by k.n) from jsonb_array_elements(shape -> 'orderBy') with ordinality k (value, n)
    where not (k.value ->> 'field' = '_distance' or k.value ->> 'field' = '_score' and service.sorts_by_score(collection, shape))), roles);
  return format('with near as materialized (select t.*%1$s and ctx.ok and nullif(%2$s, ''NaN'') is not null order by %2$s, %3$s limit %4$s) '
    || '(select t.* from near t where (select count(*) from near) > %5$s order by %2$s, %3$s%6$s) union all '
    || '(select t.*%1$s and ctx.ok and (select count(*) from near) <= %5$s order by nullif(%2$s, ''NaN''), %3$s%6$s)',
    source, distance, ties, concat_ws(' + ', shape -> 'limit' ->> 'bucket', page_offset), wanted, tail);
end $$;

comment on function service.vector_page(text, jsonb, text, text[]) is
  'SQL text of the rows of one page of a vector search, nearest first, one more than the limit at least; rows without a distance last. source: SQL text from FROM, with a WHERE. GW400 as service.order_keys.';

revoke all on function service.vector_page(text, jsonb, text, text[]) from public;
--! EndIncluded read/vector_page.sql
--! Included read/vector_scan.sql
-- An HNSW scan gives up after hnsw.ef_search rows (40), unless it may go on where it stopped (pgvector 0.8); strictly in
-- order, as the page relies on it. A scan reads both settings when it starts, which the gate puts after this.
-- A setting that was once set locally reads '' afterwards.
create or replace function service.vector_scan(shape jsonb) returns text
  language sql stable
begin atomic
  select concat(
    format(', set_config(''hnsw.ef_search'', least(1000, greatest(40, nullif(current_setting(''hnsw.ef_search'', true), '''')::bigint, %s))::text, true) as ef_search',
      concat_ws(' + ', shape -> 'limit' ->> 'bucket', '$' || (shape ->> 'offset') || '::bigint')),
    -- Before 0.8 the name itself is refused.
    (select ', set_config(''hnsw.iterative_scan'', ''strict_order'', true) as hnsw_scan, set_config(''ivfflat.iterative_scan'', ''relaxed_order'', true) as ivfflat_scan'
      from pg_catalog.pg_extension e where e.extname = 'vector' and string_to_array(substring(e.extversion from '^\d+\.\d+'), '.')::integer[] >= '{0,8}'))
  where shape ? 'vector';
end;

comment on function service.vector_scan(jsonb) is
  'SQL text of columns, each beginning with a comma, that let index scans of a vector search reach as far as its page, for this statement; null for other reads.';

revoke all on function service.vector_scan(jsonb) from public;
--! EndIncluded read/vector_scan.sql
--! Included read/distance_column.sql
create or replace function service.distance_column(collection text, alias text, shape jsonb, roles text[]) returns text
  language sql stable
  return case when shape ? 'vector' then format(', %s as "_distance"',
    service.scalar_value(service.vector_distance(collection, alias, shape -> 'vector', roles), 'double precision')) else '' end;

comment on function service.distance_column(text, text, jsonb, text[]) is 'SQL text of the column _distance that a vector search adds to a row, beginning with a comma; null where it is no number (the cosine of a zero vector).';

revoke all on function service.distance_column(text, text, jsonb, text[]) from public;
--! EndIncluded read/distance_column.sql
--! Included read/page.sql
create or replace function service.page(collection text, shape jsonb, narrowing text, roles text[]) returns text
  language plpgsql stable as $$
declare
  source text := (select format(' from %I.%I t where true', c.schema_name, c.table_name) from service.collections c where c.slug = collection)
    || narrowing || coalesce(service.predicate(collection, 't', shape, roles), '');
  base text;
  tail text;
begin
  if shape ? 'vector' then
    return service.vector_page(collection, shape, source, roles);
  end if;
  base := 'select ' || service.page_columns(collection, shape) || source;
  tail := format(' order by %s limit %s', service.page_order(collection, shape, roles), shape -> 'limit' ->> 'bucket');
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
--! Included read/page_order.sql
-- A distinct read has no key to end on; the columns that it returns make its order total.
create or replace function service.page_order(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
begin
  if service.sorts_by_score(collection, shape) then
    return service.score_order(collection, shape, roles);
  elsif not (shape ? 'distinct' and shape ? 'fields') then
    return service.order_by(collection, 't', shape -> 'orderBy', roles);
  end if;
  return (
    select string_agg(s.expression, ', ' order by s.step, s.n)
    from (
      select 1 as step, k.n, format('%s %s nulls %s', k.expression, k.direction, k.nulls) as expression
      from service.order_keys(collection, 't', shape -> 'orderBy', roles) k where k.field is not null
      union all
      select 2, p.position, format('t.%I', p.column_name)
      from service.properties p where p.collection = page_order.collection and not p.excluded and shape -> 'fields' ?| array[p.name, p.column_name]) s);
end $$;

comment on function service.page_order(text, jsonb, text[]) is 'SQL text after ORDER BY of a page: as requested and then by key, relevance included; by what is returned for a distinct read.';

revoke all on function service.page_order(text, jsonb, text[]) from public;
--! EndIncluded read/page_order.sql
--! Included read/statement_list.sql
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
--! EndIncluded read/statement_list.sql
--! Included read/total.sql
-- A page that has no next one, and was not reached by a cursor, knows the total; else it is counted under the very
-- same predicate. "estimated" stops counting at 10,001, or where the page ends, which never says more than row security
-- allows.
create or replace function service.total(collection text, shape jsonb, narrowing text, roles text[], page_size text, page_offset text) returns text
  language plpgsql stable as $$
declare
  counted text := (
    select format('(select c.count from (select count(*) from (select%s from %I.%I t where true%s%s%s) c) c where ctx.ok)',
      case when shape ? 'distinct' and shape ? 'fields' then ' ' || service.page_columns(collection, shape) else '' end, c.schema_name, c.table_name, narrowing,
      coalesce(service.predicate(collection, 't', shape, roles), ''), case when shape ->> 'count' = 'estimated' then ' limit 10001' else '' end)
    from service.collections c where c.slug = collection);
begin
  if shape ->> 'count' = 'estimated' then
    counted := format('greatest(%s, case when count(*) > 0 then %s + count(*) end)', counted, page_offset);
  end if;
  return case when shape ? 'after' then counted
    else format('case when count(*) <= %s and (count(*) > 0 or %s = 0) then %2$s + count(*) else %s end', page_size, page_offset, counted) end;
end $$;

comment on function service.total(text, jsonb, text, text[], text, text) is
  'SQL text of meta.total, for use beside count(*) over the page.';

revoke all on function service.total(text, jsonb, text, text[], text, text) from public;
--! EndIncluded read/total.sql

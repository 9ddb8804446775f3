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

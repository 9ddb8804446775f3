-- An index of vectors is approximate: it has no NULLs (and for cosine no zero vectors), and it stops looking after so
-- many rows, of which filters then take some away. So what is nearest by the index is the page only where that many rows
-- were found. Else every row is compared, which costs what their count costs: the expression around the distance is one
-- that no index has.
create or replace function service_private.vector_page(collection text, shape jsonb, conditions text[], roles text[]) returns text
  language plpgsql stable as $$
declare
  distance text := service_private.vector_distance(collection, 't', shape -> 'vector', roles);
  bucket text := shape -> 'limit' ->> 'bucket';
  page_offset text := '$' || (shape ->> 'offset') || '::bigint';
begin
  -- Sort keys are checked, and change nothing: the order is by distance.
  perform service_private.page_order(collection, shape, roles);
  return service_private.fill($sql$
      with near as materialized (
        select t.*
        from <table> t
        where <conditions>
          and nullif(<distance>, 'NaN') is not null
        order by <distance>, <ties>
        limit <reach>
      )
      (
        select t.*
        from near t
        where (select count(*) from near) > <wanted>
        order by <distance>, <ties>
        limit <bucket>
        offset <offset?>
      )
      union all
      (
        select t.*
        from <table> t
        where <conditions>
          and (select count(*) from near) <= <wanted>
        order by nullif(<distance>, 'NaN'), <ties>
        limit <bucket>
        offset <offset?>
      )
    $sql$,
    'table', service_private.row_source(collection, shape),
    'conditions', service_private.conjunction(conditions || array['ctx.ok']),
    'distance', distance,
    'ties', service_private.order_by(collection, 't', null, roles),
    'reach', concat_ws(' + ', bucket, page_offset),
    'wanted', concat_ws(' + ', format('$%s::bigint', shape -> 'limit' ->> 'param'), page_offset),
    'bucket', bucket,
    'offset', page_offset);
end $$;

comment on function service_private.vector_page(text, jsonb, text[], text[]) is
  'SQL text of the rows of one page of a vector search under these conditions, nearest first, one more than the limit at least; '
  'rows without a distance last. GW400 as service_private.page_order.';

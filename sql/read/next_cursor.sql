create or replace function service.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text) returns text
  language sql stable
begin atomic
  select format('concat(''true,"nextCursor":"'', service.cursor_seal(%L, %L, json_agg(json_build_array(%s)) filter (where %s = %s) -> 0), ''"'')', collection,
    coalesce(jsonb_agg(jsonb_build_array(k.field, k.direction, k.nulls) order by k.n) filter (where k.field is not null), '[]'::jsonb),
    -- A cursor's key is never null; where it can be (a view), '' stands for it and '=' before every other.
    string_agg(case when k.field is null and k.nullable then format('coalesce(''='' || %s::text, '''')', k.expression) else k.expression || '::text' end, ', ' order by k.n),
    row_number, page_size)
  from service.order_keys(collection, 't', shape -> 'orderBy', roles) k;
end;

comment on function service.next_cursor(text, jsonb, text[], text, text) is
  'SQL text of hasMore when there is more: true, and the signed cursor after the last served row, computed for that row only.';

revoke all on function service.next_cursor(text, jsonb, text[], text, text) from public;

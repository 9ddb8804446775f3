create or replace function service_private.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text)
  returns text
  language plpgsql stable as $$
declare
  keys jsonb;
  stored text;
begin
  select coalesce(jsonb_agg(jsonb_build_array(k.field, k.direction, k.nulls) order by k.n) filter (where k.field is not null), '[]'),
    -- A cursor's key is never null; where it can be (a view), '' stands for it and '=' before every other.
    string_agg(
      case when k.field is null and k.nullable then format('coalesce(''='' || %s, '''')', k.last) else k.last end,
      ', ' order by k.n)
  into keys, stored
  from (
    select o.*, case when row_number is null then format('(array_agg(%s))[%s]::text', o.expression, page_size)
      else format('(array_agg(%s::text) filter (where %s = %s))[1]', o.expression, row_number, page_size) end as last
    from service_private.order_keys(collection, 't', shape -> 'orderBy', roles) o) k;
  return service_private.fill($sql$
      concat('true,"nextCursor":"', service_private.cursor_seal(
        <collection>,
        concat(<keys>, json_build_array(<stored>), '}')), '"')
    $sql$,
    'collection', quote_literal(collection),
    'keys', quote_literal(format('{"k":%s,"v":', keys)),
    'stored', stored);
end $$;

comment on function service_private.next_cursor(text, jsonb, text[], text, text) is
  'SQL text of hasMore when there is more: true, and the signed cursor after the last served row. row_number: SQL text, by which '
  'that row is known; null where rows come in order and the keys are columns, none of them an array.';

create or replace function service.next_cursor(collection text, shape jsonb, roles text[], page_size text) returns text
  language sql stable
begin atomic
  select format('service.cursor_seal(%L, %L, json_agg(json_build_array(%s)) filter (where t."~n" = %s) -> 0)', collection,
    coalesce(jsonb_agg(jsonb_build_array(k.field, k.direction, k.nulls) order by k.n) filter (where k.field is not null), '[]'::jsonb),
    string_agg(k.expression || '::text', ', ' order by k.n), page_size)
  from service.order_keys(collection, 't', shape -> 'orderBy', roles) k;
end;

comment on function service.next_cursor(text, jsonb, text[], text) is
  'SQL text of the signed cursor after the last served row; computed for that row only.';

revoke all on function service.next_cursor(text, jsonb, text[], text) from public;

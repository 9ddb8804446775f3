--! Previous: sha1:e45d376f6f29a359a901073c31780f2709233927
--! Hash: sha1:cf8dce706e92921f1a5363b1f5e197686da07214

drop function service.cursor_seal(text, text, json);
drop function service.cursor_mac(text);
--! Included read/cursor_seal.sql
-- HMAC-SHA256 (RFC 2104) from the built-in sha256: a cursor is signed in the statement that issues it, and no
-- extension is needed. The key is stored padded. PL/pgSQL because its plan is kept: as a SQL function, whose body is
-- read and planned again in every statement, it cost a fifth of a list of 50 rows. One function, because each that runs
-- with its owner's rights costs 5 microseconds: of 24 that this takes, 11 are the reading of the key.
create or replace function service.cursor_seal(collection text, payload text) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  key service.cursor_key;
begin
  select k.* into key from service.cursor_key k;
  return service.base64url(convert_to(payload, 'UTF8')) || '.'
    || service.base64url(substr(sha256(key.outer_key || sha256(key.inner_key || convert_to(collection || ' ' || payload, 'UTF8'))), 1, 16));
end $$;

comment on function service.cursor_seal(text, text) is
  'A cursor: base64url of its payload {"k":[[field, direction, nulls]…],"v":[stored value as text or null…, key…]}, a dot, and the first 128 bits of its HMAC-SHA256 under this database''s cursor key. Bound to the collection.';

revoke all on function service.cursor_seal(text, text) from public;
grant execute on function service.cursor_seal(text, text) to service_user;
--! EndIncluded read/cursor_seal.sql
--! Included read/cursor_open.sql
create or replace function service.cursor_open(collection text, token text) returns text[]
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  payload text;
begin
  begin
    payload := convert_from(service.from_base64url(split_part(token, '.', 1)), 'UTF8');
  exception when data_exception then
    payload := null;
  end;
  -- By their hashes, whose comparison takes a time that tells nothing of the signature.
  if payload is null or sha256(convert_to(service.cursor_seal(collection, payload), 'UTF8')) <> sha256(convert_to(token, 'UTF8')) then
    perform service.fail(400, 'INVALID_CURSOR', 'The cursor was not issued by this service for this collection.');
  end if;
  return array(select jsonb_array_elements_text(payload::jsonb -> 'v'));
end $$;

comment on function service.cursor_open(text, text) is
  'The values of a cursor that this database signed for this collection: those of its sort keys, then the key''s. GW400 INVALID_CURSOR.';

revoke all on function service.cursor_open(text, text) from public;
grant execute on function service.cursor_open(text, text) to service_user;
--! EndIncluded read/cursor_open.sql
--! Included read/next_cursor.sql
create or replace function service.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text) returns text
  language sql stable
begin atomic
  select format('concat(''true,"nextCursor":"'', service.cursor_seal(%L, concat(%L, json_build_array(%s), ''}'')), ''"'')', collection,
    format('{"k":%s,"v":', coalesce(jsonb_agg(jsonb_build_array(k.field, k.direction, k.nulls) order by k.n) filter (where k.field is not null), '[]'::jsonb)),
    -- A cursor's key is never null; where it can be (a view), '' stands for it and '=' before every other.
    string_agg(case when k.field is null and k.nullable then format('coalesce(''='' || %s, '''')', k.last) else k.last end, ', ' order by k.n))
  from (
    select o.*, case when row_number is null then format('(array_agg(%s))[%s]::text', o.expression, page_size) else format('(array_agg(%s::text) filter (where %s = %s))[1]', o.expression, row_number, page_size) end as last
    from service.order_keys(collection, 't', shape -> 'orderBy', roles) o) k;
end;

comment on function service.next_cursor(text, jsonb, text[], text, text) is
  'SQL text of hasMore when there is more: true, and the signed cursor after the last served row. row_number: SQL text, by which that row is known; null where rows come in order and the keys are columns, none of them an array.';

revoke all on function service.next_cursor(text, jsonb, text[], text, text) from public;
--! EndIncluded read/next_cursor.sql
--! Included read/statement_list.sql
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
--! EndIncluded read/statement_list.sql

-- Three names for the list, or items for all of them. An update names its row beside its fields, or apart from them: {id, data}.
create or replace function service_private.bulk_requests(request jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  op constant text := request ->> 'op';
  slug constant text := request -> 'path' ->> 0;
  body constant jsonb := request -> 'body';
  list constant text := case op when 'create' then 'rows' when 'update' then 'updates' else 'ids' end;
  items constant jsonb := coalesce(body -> list, body -> 'items');
  head constant jsonb := request - '{bulk,body,path,key}'::text[]
    || service_private.asked_conflict(body, jsonb_build_object('collection', slug));
  unknown constant text := (
    select string_agg(k, ', ' order by k) from jsonb_object_keys(body) k
    where k <> all (array[list, 'items'] || case op when 'create' then '{upsert,onConflict,on_conflict}' else '{}' end::text[]));
  wrong integer;
begin
  perform service_private.path_collection(request -> 'path', string_to_array(service.roles(), ','));
  if (select c.read_only from service.collections c where c.slug = request -> 'path' ->> 0) then
    perform service.fail(400, 'BULK_UNSUPPORTED', format('%s is read-only.', slug), jsonb_build_object('collection', slug));
  elsif unknown is not null or coalesce(jsonb_typeof(items) <> 'array', true) then
    perform service.fail(400, 'INVALID_BULK_BODY',
      coalesce(format('A bulk %s takes no %s.', op, unknown), format('A bulk %s needs an array %s.', op, list)),
      jsonb_build_object('collection', slug));
  end if;
  perform service_private.require_at_most(jsonb_array_length(items), service_private.bound(request, 'items'), 'BULK_TOO_LARGE', slug);
  wrong := (
    select n - 1 from jsonb_array_elements(items) with ordinality i (item, n)
    where not coalesce(case
      when op = 'create' then jsonb_typeof(item) = 'object'
      when jsonb_typeof(item) = 'object' then jsonb_typeof(item -> 'id') in ('string', 'number') and item ->> 'id' <> ''
        and (op = 'delete' or not service_private.has_data_apart(item) or jsonb_typeof(item -> 'data') = 'object')
      else op = 'delete' and jsonb_typeof(item) in ('string', 'number') and item #>> '{}' <> '' end, false)
    order by n
    limit 1);
  if wrong is not null then
    perform service.fail(400, 'INVALID_BULK_BODY', case op
        when 'create' then 'A row must be an object.'
        when 'update' then 'An update must be an object with an id, and its data an object.'
        else 'An id must be a text or a number, or stand in an object as its id.' end,
      jsonb_build_object('collection', slug, 'index', wrong));
  end if;
  return (
    select coalesce(jsonb_agg(head || case op
      when 'create' then jsonb_build_object('path', jsonb_build_array(slug), 'body', i.item)
      when 'update' then jsonb_build_object('path', jsonb_build_array(slug, i.item ->> 'id'),
        'body', case when service_private.has_data_apart(i.item) then i.item -> 'data' else i.item - 'id' end)
      else jsonb_build_object('path', jsonb_build_array(slug, coalesce(i.item ->> 'id', i.item #>> '{}'))) end order by i.n), '[]')
    from jsonb_array_elements(items) with ordinality i (item, n));
end $$;

comment on function service_private.bulk_requests(jsonb) is
  'The requests of single rows (service_private.write) that a bulk request {"op", "bulk": true, "path": [slug], "body"} stands for. body '
  'of a create: {"rows": [object], "upsert": boolean?, "onConflict": [names]?}; of an update: {"updates": [{"id", "data": object}, or '
  '{"id", fields …}]}; of a delete: {"ids": [id or {"id"}]}; the list may also be named items. GW400 INVALID_BULK_BODY {collection, '
  'index?}, BULK_TOO_LARGE {collection, limit}, BULK_UNSUPPORTED of a view, INVALID_CONFLICT_TARGET.';

grant execute on function service_private.bulk_requests(jsonb) to service_user;

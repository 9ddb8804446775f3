-- Everything that can be checked before any statement runs is checked then.
create or replace function service_private.batch_requests(request jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  operations constant jsonb := request -> 'body' -> 'operations';
  operation jsonb;
  op text;
  refs text[] := '{}';
  ref text;
  requests jsonb := '[]';
  details jsonb;
  wrong text;
begin
  if coalesce(jsonb_typeof(operations) <> 'array', true) or (request -> 'body') - 'operations' <> '{}' then
    perform service.fail(400, 'INVALID_BATCH_BODY', 'The body must be {"operations": [...]}.');
  end if;
  perform service_private.require_at_most(jsonb_array_length(operations), service_private.bound(request, 'items'), 'BATCH_TOO_LARGE');
  for i in 0 .. jsonb_array_length(operations) - 1 loop
    operation := operations -> i;
    op := operation ->> 'op';
    ref := btrim(operation ->> 'ref');
    details := jsonb_build_object('collection', operation -> 'collection', 'index', i);
    wrong := case
      when jsonb_typeof(operation) <> 'object' then 'An operation must be an object'
      when op is null or op not in ('create', 'update', 'upsert', 'delete') then 'Its op must be create, update, upsert or delete'
      when operation - '{op,collection,id,values,onConflict,on_conflict,ref}'::text[] <> '{}'
        then 'An operation has op, collection, id, values, onConflict and ref'
      when not exists (select from service.collections c where c.slug = operation ->> 'collection' and c.exposed)
        then 'Its collection must be the name of one'
      when op <> 'delete' and jsonb_typeof(operation -> 'values') is distinct from 'object' then 'Its values must be an object'
      when op in ('create', 'upsert') and jsonb_typeof(operation -> 'id') <> 'null' then 'Its id belongs into its values'
      when op = 'delete' and operation -> 'values' not in ('null', '{}') then 'It has no values'
      when op in ('update', 'delete') and not coalesce(
          (jsonb_typeof(operation -> 'id') in ('string', 'number') and operation ->> 'id' <> '') or operation -> 'id' ? '$ref', false)
        then 'Its id must be a text or a number'
      when operation ? 'ref' and (jsonb_typeof(operation -> 'ref') <> 'string' or ref = '' or strpos(ref, '.') > 0)
        then 'Its ref must be a name without a dot'
      when ref = any (refs) then format('The ref %s is taken', ref)
    end;
    if wrong is not null then
      perform service.fail(400, 'INVALID_BATCH_BODY', format('%s.', wrong), jsonb_build_object('index', i));
    end if;
    perform service_private.require_earlier_refs(coalesce(operation -> 'values', '{}') || jsonb_build_object('id', operation -> 'id'), refs,
      i);
    if op <> 'upsert' and operation ?| '{onConflict,on_conflict}' then
      perform service.fail(400, 'INVALID_CONFLICT_TARGET', 'onConflict belongs to an upsert.', details);
    end if;
    refs := refs || case when op <> 'delete' then ref end;
    requests := requests || jsonb_build_array(request - '{op,body,path,key}'::text[]
      || jsonb_build_object('op', case op when 'upsert' then 'create' else op end,
        'path', jsonb_build_array(operation -> 'collection') || case
          when op not in ('update', 'delete') then '[]'
          when jsonb_typeof(operation -> 'id') = 'object' then jsonb_build_array(operation -> 'id')
          else jsonb_build_array(operation ->> 'id') end)
      || case when op <> 'delete' then jsonb_build_object('body', operation -> 'values') else '{}' end
      || case when op = 'upsert' then service_private.asked_conflict('{"upsert": true}' || operation, details) else '{}' end
      || case when ref is not null then jsonb_build_object('ref', ref) else '{}' end);
  end loop;
  return requests;
end $$;

comment on function service_private.batch_requests(jsonb) is
  'The requests of single rows (service_private.write) that a batch {"op": "batch", "body": {"operations": [{"op": '
  '"create"|"update"|"upsert"|"delete", "collection", "id"?, "values"?, "onConflict"?, "ref"?}]}} stands for, with their ref. GW400 '
  'INVALID_BATCH_BODY {index}, BATCH_TOO_LARGE {limit}, INVALID_BATCH_REF {index, ref}, INVALID_CONFLICT_TARGET {collection, index}.';

grant execute on function service_private.batch_requests(jsonb) to service_user;

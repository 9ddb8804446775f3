-- The same step that the gateway takes for a URL: values out, parameter numbers in, in the order of the document
-- (json, not jsonb, keeps it). The first five are for the caller.
create or replace function service_private.hoist(request json, out shape jsonb, out parameters text[])
  language plpgsql stable as $$
declare
  part record;
  page_size integer := coalesce((request ->> 'limit')::integer,
    case when request ->> 'op' = 'history' then 20 when request -> 'vector' is not null then 10 else 50 end);
  cursor jsonb;
  known text[] := '{op,path,where,logical,orderBy,limit,offset,after,fields,include,count,search,vector,distinct,deleted,select,
    groupBy,checked}';
  unknown text := (select k from json_object_keys(request) k where not k = any (known) limit 1);
begin
  if unknown is not null then
    perform service.fail(400, 'INVALID_PARAM', format('A request has no %s.', unknown),
      jsonb_build_object('parameter', unknown, 'validParameters', to_jsonb(known)));
  elsif page_size < 1 then
    perform service.fail(400, 'INVALID_LIMIT', 'limit is not a whole number from 1.',
      jsonb_build_object('parameter', 'limit', 'value', page_size));
  elsif (request ->> 'offset')::bigint < 0 then
    perform service.fail(400, 'INVALID_OFFSET', 'offset is not a whole number from 0.',
      jsonb_build_object('parameter', 'offset', 'value', request -> 'offset'));
  elsif request ->> 'after' is not null and request ->> 'offset' is not null then
    perform service.fail(400, 'CURSOR_WITH_OFFSET', 'A cursor already says where the page starts. Leave out offset.');
  end if;
  parameters := array_fill(null::text, '{5}');
  shape := jsonb_build_object('op', request ->> 'op');
  part := service_private.hoist_path(request -> 'path', parameters);
  shape := shape || jsonb_build_object('path', part.path);
  parameters := part.parameters;
  part := service_private.hoist_node(request, false, parameters);
  shape := shape || part.node;
  parameters := part.parameters;
  if shape ->> 'op' in ('list', 'history') or shape ? 'groupBy' then
    parameters := parameters || page_size::text;
    shape := shape || jsonb_build_object('limit', jsonb_build_object('param', cardinality(parameters),
      'bucket', (2 ^ ceil(log(2, page_size + 1)))::integer));
    if (request ->> 'offset')::bigint > 0 then
      parameters := parameters || (request ->> 'offset');
      shape := shape || jsonb_build_object('offset', cardinality(parameters));
    end if;
    if request ->> 'after' is not null then
      parameters := parameters || (request ->> 'after');
      cursor := service_private.cursor_payload(request ->> 'after');
      shape := shape || jsonb_build_object('after', jsonb_build_object('param', cardinality(parameters), 'keys', cursor -> 'k',
        'nulls', (
          select coalesce(jsonb_agg(cursor -> 'v' -> (n - 1)::integer = 'null'), '[]')
          from jsonb_array_elements(cursor -> 'k') with ordinality k (key, n))));
      if not shape ? 'orderBy' and cursor -> 'k' <> '[]' then
        shape := shape || jsonb_build_object('orderBy', (
          select jsonb_agg(jsonb_build_object('field', key -> 0, 'direction', key -> 1)
            || case when key ->> 2 = case key ->> 1 when 'desc' then 'first' else 'last' end then '{}'
              else jsonb_build_object('nulls', key -> 2) end order by n)
          from jsonb_array_elements(cursor -> 'k') with ordinality k (key, n)));
      end if;
    end if;
    if request ->> 'count' in ('none', 'estimated') then
      shape := shape || jsonb_build_object('count', request ->> 'count');
    end if;
  end if;
  parameters := parameters[6:];
end $$;

comment on function service_private.hoist(json) is
  'Takes the values out of a request {op, path: [slug, id, relation …], where: {field: [operator, value] or a list of those}, '
  'logical, orderBy: [{field, direction, nulls}], limit, offset, after, fields, include, count, search: {text}, vector: {property, '
  'vector, distance, threshold}, distinct, deleted, select: [{fn, field}], groupBy, checked}: the shape that service.compile '
  'reads, and the values of $6 onwards. GW400 INVALID_CURSOR, INVALID_PARAM, INVALID_LIMIT, INVALID_OFFSET, CURSOR_WITH_OFFSET, '
  'and those of conditions and groups.';

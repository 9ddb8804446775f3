-- The same step that the gateway takes for a URL: values out, parameter numbers in, in the order of the document
-- (json, not jsonb, keeps it). $1 is the claims.
create or replace function service.hoist(request json, out shape jsonb, out parameters text[])
  language plpgsql stable as $$
declare
  part record;
  page_size integer := coalesce((request ->> 'limit')::integer, 50);
  cursor jsonb;
begin
  parameters := '{}';
  shape := jsonb_build_object('op', request ->> 'op');
  part := service.hoist_path(request -> 'path', parameters);
  shape := shape || jsonb_build_object('path', part.path);
  parameters := part.parameters;
  part := service.hoist_node(request, parameters);
  shape := shape || part.node;
  parameters := part.parameters;
  if shape ->> 'op' = 'list' then
    parameters := parameters || page_size::text;
    shape := shape || jsonb_build_object('limit', jsonb_build_object('param', cardinality(parameters) + 1,
      'bucket', (2 ^ ceil(log(2, page_size + 1)))::integer));
    if (request ->> 'offset')::bigint > 0 then
      parameters := parameters || (request ->> 'offset');
      shape := shape || jsonb_build_object('offset', cardinality(parameters) + 1);
    end if;
    if request ->> 'after' is not null then
      parameters := parameters || (request ->> 'after');
      cursor := service.cursor_payload(request ->> 'after');
      shape := shape || jsonb_build_object('after', jsonb_build_object('param', cardinality(parameters) + 1, 'keys', cursor -> 'k',
        'nulls', (select coalesce(jsonb_agg(cursor -> 'v' -> (n - 1)::integer = 'null'), '[]') from jsonb_array_elements(cursor -> 'k') with ordinality k (key, n))));
      if not shape ? 'orderBy' and cursor -> 'k' <> '[]' then
        shape := shape || jsonb_build_object('orderBy', (
          select jsonb_agg(jsonb_build_object('field', key -> 0, 'direction', key -> 1, 'nulls', key -> 2) order by n)
          from jsonb_array_elements(cursor -> 'k') with ordinality k (key, n)));
      end if;
    end if;
    if request ->> 'count' in ('none', 'estimated') then
      shape := shape || jsonb_build_object('count', request ->> 'count');
    end if;
  end if;
end $$;

comment on function service.hoist(json) is
  'Takes the values out of a request {op, path: [slug, id, relation …], where: {field: [operator, value] or a list of those}, logical, orderBy: [{field, direction, nulls}], limit, offset, after, fields, include, count}: the shape that service.compile reads, and the values of $2 onwards. GW400 INVALID_CURSOR.';

revoke all on function service.hoist(json) from public;

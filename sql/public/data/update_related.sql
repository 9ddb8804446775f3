create or replace function service.update_related(collection text, id text, relation text, related_id text, body jsonb default '{}',
  claims jsonb default service_private.service_claims()) returns json
  language sql volatile
begin atomic
  select service_private.change(
    jsonb_build_object('op', 'update', 'path', jsonb_build_array(collection, id, relation, related_id), 'body', body), claims);
end;

comment on function service.update_related(text, text, text, text, jsonb, jsonb) is
  'The answer of PATCH /data/<collection>/<id>/<relation>/<related_id> with this body, as JSON: the row after it. Over a junction it is '
  'linked first, if it is not; {"_pivot": {…}} changes the link alone: null. claims: the caller, by default the service key. Errors as '
  'service_private.write.';

-- Example: select service.update_related('products', '1', 'tags', '2', '{"color": "#5b8c3e"}');

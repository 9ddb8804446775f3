-- One write, in the caller's own implicit transaction: enter, check what was sent, run it as the caller under row
-- security, read the row back as the caller may read it. Nothing here catches an error: a failed write leaves nothing.
-- plan: what the gateway keeps of service_private.write_plan; without one it is made here, which costs some milliseconds.
-- An assignment calls a function at a third of what PERFORM costs.
create or replace function service_private.write(caller text[], request jsonb, plan jsonb default null, sent text default null) returns json
  language plpgsql volatile as $$
declare
  entered boolean := service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
  single jsonb;
  moved text[];
  answer json;
  id text;
begin
  if request ->> 'op' = 'batch' or request ? 'bulk' then
    return service_private.write_many(caller, request, sent, plan);
  elsif plan is null or service_private.has_blank_key(request ->> 'op', request -> 'body', plan -> 'sentKey')
    or service_private.has_blank_key(request ->> 'op', request -> 'body', plan -> 'target')
    or service_private.sent_operations(request) is distinct from plan -> 'operations'
  then
    plan := service_private.write_plan(service_private.write_shape(request), string_to_array(service.roles(), ','));
  end if;
  -- A nested path counts as that of the row it ends in, in its collection; `above` keeps the whole path.
  single := case when plan ->> 'collection' is null then request else request || jsonb_build_object('above', request -> 'path',
    'path', jsonb_build_array(plan ->> 'collection')
      || case when request ->> 'op' = 'create' then '[]' else jsonb_build_array(request -> 'path' -> -1) end)
  end;
  moved := service_private.validate_write(single, plan);
  if request ? 'key' then
    answer := service_private.answered(request);
    if answer is not null then
      return answer -> 'answer';
    end if;
  end if;
  id := service_private.run_write(single, plan, moved, sent);
  answer := case when plan ? 'reply' then service_private.read_back(plan ->> 'reply', caller, id) end;
  return case when request ? 'key' then service_private.keep_answer(request, answer) else answer end;
end $$;

comment on function service_private.write(text[], jsonb, jsonb, text) is
  'Creates, updates or deletes one row as this caller (the five values of service.enter). sent: the text of the request, for json as it '
  'was sent. request: {"op": "create"|"update"|"delete", "path": [slug], [slug, id] or, nested, [slug, id, relation, …], "body": object, '
  '"return": "minimal"?, "fields": [names]?, "hard": true?, "conflict": [names]?, "match": [entity tags]?, "key": text?}; or many of them: '
  'service_private.bulk_requests, service_private.batch_requests. With conflict a create is an upsert (service_private.conflict_columns), '
  'with key it is done once (service_private.answered), with match the row is written only while it has one of these tags, as reads give '
  'them (ETag). A delete in a collection with softDelete stamps the row, unless it is hard; an update that sets the stamp to null restores '
  'it. Returns the row as this caller reads it; null for delete and return=minimal. Errors: GW400 VALIDATION_EXCLUDED_FIELDS, '
  'FIELD_NOT_WRITABLE, VALIDATION_UNKNOWN_FIELDS, UNKNOWN_RELATION, RELATION_NOT_WRITABLE, RELATION_NOT_UNLINKABLE, RELATION_HAS_NO_PIVOT, '
  'RELATION_SOURCE_KEY_EMPTY, UNKNOWN_RESPONSE_FIELD, FIELD_NOT_READABLE, INVALID_FIELD_OPERATION, VALIDATION_CONSTRAINT, '
  'VALIDATION_INVALID_VALUE, KEY_IMMUTABLE, INVALID_CONFLICT_TARGET; GW403 WRITE_DENIED; GW404 NOT_FOUND; GW409 ROW_IN_TRASH, '
  'IDEMPOTENCY_KEY_IN_PROGRESS; GW422 IDEMPOTENCY_KEY_REUSED; GW412 PRECONDITION_FAILED; GW500 RELATION_MISCONFIGURED; and the database''s '
  'own, rolled back as a whole.';

grant execute on function service_private.write(text[], jsonb, jsonb, text) to service_user;

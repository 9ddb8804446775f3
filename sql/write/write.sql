-- One write, in the caller's own implicit transaction: enter, check what was sent, run it as the caller under row
-- security, read the row back as the caller may read it. Nothing here catches an error: a failed write leaves nothing.
-- plan: what the gateway keeps of service.write_plan; without one it is made here, which costs some milliseconds. A plan
-- that is kept comes from a gateway, whose transaction ends with this call: it is simply left read-only.
-- An assignment calls a function at a third of what PERFORM costs.
create or replace function service.write(caller text[], request jsonb, plan jsonb default null, sent text default null) returns json
  language plpgsql volatile as $$
declare
  op text := request ->> 'op';
  key text := request -> 'path' ->> 1;
  doubtful jsonb;
  moved text[];
  answer text;
  done boolean;
  kept boolean;
begin
  done := service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
  if plan is null or service.has_blank_key(op, request -> 'body', plan -> 'sentKey') then
    plan := service.write_plan(service.write_shape(request), string_to_array(service.roles(), ','));
  end if;
  if op <> 'delete' then
    doubtful := service.doubtful_fields(request -> 'body', plan);
    if doubtful <> '[]' or plan ?| array['missing', 'twice', 'sentKey'] or strpos(request ->> 'body', '"$') > 0 then
      moved := service.check_body(request, plan, doubtful, service.uid());
    end if;
  end if;
  if op <> 'create' and not service.is_readable_id(key, plan -> 'keyTypes') then
    perform service.refuse_unaffected(request, false);
  elsif moved is not null then
    perform service.refuse_unaffected(request, service.run_planned(null, plan ->> 'visible', array[null, key]) is not null, moved);
  end if;
  if plan ? 'stamp' and request -> 'body' ->> (plan ->> 'stamp') is not null then
    perform service.refuse_stamp(request -> 'path' ->> 0, plan ->> 'stamp');
  end if;
  kept := service.keep(plan);
  answer := service.run_planned(case when kept then plan ->> 'kept' end, plan ->> 'statement',
    array[coalesce(sent::json ->> 'body', request ->> 'body'), key]);
  if answer is null then
    perform service.refuse_unaffected(request,
      op <> 'create' and service.run_planned(null, plan ->> 'visible', array[null, key]) is not null);
  end if;
  key := case op when 'create' then answer else key end;
  if not plan ? 'reply' then
    return null;
  elsif not kept then
    return service.read_back(plan, caller, key);
  end if;
  done := set_config('transaction_read_only', 'on', true) = 'on';
  return service.run_planned((plan ->> 'kept') || '_reply', null, caller || key);
end $$;

comment on function service.write(text[], jsonb, jsonb, text) is
  'Creates, updates or deletes one row as this caller (the five values of service.enter). sent: the text of the request, for json '
  'as it was sent. request: {"op": "create"|"update"|"delete", "path": [slug] or [slug, id], "body": object, "return": "minimal"?, '
  '"fields": [names]?, "hard": true?}. A delete in a collection with softDelete stamps the row, unless it is hard; an update that sets the '
  'stamp to null restores it. Returns the row as this caller reads it; null for delete and return=minimal. Errors: GW400 '
  'VALIDATION_EXCLUDED_FIELDS, FIELD_NOT_WRITABLE, '
  'VALIDATION_UNKNOWN_FIELDS, RELATION_NOT_WRITABLE, UNKNOWN_RESPONSE_FIELD, FIELD_NOT_READABLE, INVALID_FIELD_OPERATION, '
  'VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE, KEY_IMMUTABLE; GW403 WRITE_DENIED; GW404 NOT_FOUND; GW501 NOT_IMPLEMENTED; and '
  'the database''s own, rolled back as a whole.';

revoke all on function service.write(text[], jsonb, jsonb, text) from public;
grant execute on function service.write(text[], jsonb, jsonb, text) to service_user;

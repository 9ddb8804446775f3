-- One write, in the caller's own implicit transaction: enter, check what was sent, run it as the caller under row
-- security, read the row back as the caller may read it. Nothing here catches an error: a failed write leaves nothing.
-- reply: the compiled statement of the row's read, when the gateway has it; compiling it here costs half a millisecond.
create or replace function service.write(claims text, request jsonb, reply text default null) returns json
  language plpgsql volatile as $$
declare
  plan record;
  key text := request -> 'path' ->> 1;
  affected bigint;
  body json;
begin
  perform service.enter(claims);
  plan := service.write_plan(request, string_to_array(service.roles(), ','), service.uid(), reply is null);
  if plan.returns_key then
    execute plan.statement into key using plan.payload, key;
  else
    execute plan.statement using plan.payload, key;
  end if;
  get diagnostics affected = row_count;
  if affected = 0 then
    execute plan.visible into body using key;
    perform service.refuse_unaffected(request, body is not null);
  end if;
  if request ->> 'op' = 'delete' or request ->> 'return' = 'minimal' then
    return null;
  end if;
  perform set_config('transaction_read_only', 'on', true);
  execute coalesce(reply, plan.reply) into body using claims, key;
  return body;
end $$;

comment on function service.write(text, jsonb, text) is
  'Creates, updates or deletes one row as the caller with these claims. request: {"op": "create"|"update"|"delete", "path": [slug] or [slug, id], "body": object, "return": "minimal"?, "fields": [names]?}. Returns the row as this caller reads it; null for delete and return=minimal. Errors: GW400 VALIDATION_EXCLUDED_FIELDS, VALIDATION_UNKNOWN_FIELDS, VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE, FIELD_NOT_WRITABLE, KEY_IMMUTABLE, UNKNOWN_RESPONSE_FIELD; GW403 WRITE_DENIED; GW404 NOT_FOUND; and the database''s own, rolled back as a whole.';

revoke all on function service.write(text, jsonb, text) from public;
grant execute on function service.write(text, jsonb, text) to service_user;

-- In the order in which clients see them: closed fields, unknown operations, all broken rules at once; a changed key
-- is left to the code that knows whether the row exists.
create or replace function service_private.check_body(request jsonb, body jsonb, plan jsonb, doubtful jsonb, uid text) returns text[]
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  violations jsonb;
begin
  perform service_private.refuse_closed(request -> 'path' ->> 0, body, doubtful);
  perform service_private.refuse_operations(request, plan);
  violations := service_private.body_violations(body, plan, doubtful, uid);
  if violations is not null then
    perform service_private.refuse_violations(request -> 'path' ->> 0, violations);
  end if;
  return service_private.moved_fields(request, plan);
end $$;

comment on function service_private.check_body(jsonb, jsonb, jsonb, jsonb, text) is
  'Judges the values of a write by its plan, those of its doubtful fields: GW400 VALIDATION_EXCLUDED_FIELDS, FIELD_NOT_WRITABLE as '
  'service_private.refuse_closed, VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE as service_private.refuse_violations, '
  'INVALID_FIELD_OPERATION as service_private.refuse_operations. body: with operands in place of operations. Returns the names under '
  'which an '
  'update sends another key than that of its row; null when it does not.';

grant execute on function service_private.check_body(jsonb, jsonb, jsonb, jsonb, text) to service_user;

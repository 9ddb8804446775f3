-- In the order that clients are told of: operations that are not there, all broken rules at once; a moved key is left to
-- who knows whether the row exists. Values that fit their type and have no rule but a length cost one look.
create or replace function service.check_body(request jsonb, plan jsonb, uid text) returns text[]
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  body jsonb := request -> 'body';
  violations jsonb;
begin
  perform service.refuse_operations(request);
  if plan ? 'missing' or plan ? 'twice' or exists (
    select from jsonb_to_recordset(plan -> 'fields') f (field text, type text, "sqlType" text, rules jsonb, "maxLength" integer, unwraps text, required text, stamp boolean)
    cross join lateral (select service.unwrapped(body -> f.field, f.unwraps) as value offset 0) s
    where f.stamp or case s.value when 'null' then f.required is not null
      else f.rules is not null or not service.fits_type(s.value, f.type, f."sqlType") or char_length(s.value #>> '{}') > f."maxLength" end)
  then
    violations := service.body_violations(body, plan, uid);
  end if;
  if violations is not null then
    perform service.refuse_violations(request -> 'path' ->> 0, violations);
  end if;
  return service.moved_fields(request, plan);
end $$;

comment on function service.check_body(jsonb, jsonb, text) is
  'Judges the values of a write by its plan: GW400 VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE as service.refuse_violations, INVALID_FIELD_OPERATION and GW501 as service.refuse_operations. Returns the names under which an update sends another key than that of its row; null when it does not.';

revoke all on function service.check_body(jsonb, jsonb, text) from public;
grant execute on function service.check_body(jsonb, jsonb, text) to service_user;

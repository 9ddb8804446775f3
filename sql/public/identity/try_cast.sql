-- A cast that fails would fail every read of the table for a caller whose token says something else. Without a block that
-- catches the error, which would forbid parallel plans: what is cast is known to fit.
create or replace function service.try_cast(value text, type anyelement) returns anyelement
  language plpgsql stable parallel safe as $$
begin
  return case when service_private.is_value(value, pg_typeof(type)) then value end;
end $$;

comment on function service.try_cast(text, anyelement) is
  'A text as a value of the type of the second argument; null when it is none. In a policy: owner_id = (select '
  'service.try_cast(service.uid(), null::uuid)). For numbers, booleans, uuid, dates and times (ISO 8601), enums and texts; any other '
  'type: null.';

grant execute on function service.try_cast(text, anyelement) to service_user;

-- Example: select service.try_cast('12', null::integer), service.try_cast('twelve', null::integer);

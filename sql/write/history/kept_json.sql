-- A column may have been jsonb when the entry was made: then its text need not be JSON.
create or replace function service_private.kept_json(value jsonb) returns json
  language plpgsql immutable as $$
begin
  return (value #>> '{}')::json;
exception when invalid_text_representation then
  return value;
end $$;

comment on function service_private.kept_json(jsonb) is 'The value of a json column, out of a service_private.snapshot.';

grant execute on function service_private.kept_json(jsonb) to service_user;

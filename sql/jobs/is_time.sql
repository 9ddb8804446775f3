create or replace function service_private.is_time(value text) returns boolean
  language plpgsql stable as $$
begin
  return value ~ '^\d{4}-\d\d-\d\d' and isfinite(value::timestamptz);
exception when data_exception then
  return false;
end $$;

comment on function service_private.is_time(text) is 'Whether a text is a time that begins with a date.';

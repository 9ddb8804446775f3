-- The only way to know what the type itself reads. On the way to a refusal, or where a rule compares the date.
create or replace function service_private.is_readable_date(text text, sql_type text) returns boolean
  language plpgsql stable as $$
begin
  execute format('select %L::%s', text, service_private.known_type(coalesce(sql_type, 'timestamptz')));
  return true;
exception
  when data_exception then
    return false;
  when integrity_constraint_violation then
    return true; -- a domain's check could read it
end $$;

comment on function service_private.is_readable_date(text, text) is
  'Whether a text can be read as a date or time of this type; timestamptz where the type is null.';

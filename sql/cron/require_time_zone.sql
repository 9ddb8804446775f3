-- PostgreSQL takes abbreviations and POSIX rules for zones too. A name with a slash and without digits can be neither; the list of all
-- names is read from files, so it is asked only about others.
create or replace function service_private.require_time_zone(name text) returns void
  language plpgsql stable as $$
begin
  if name = 'UTC' then
    return;
  elsif name ~ '^[A-Za-z_-]+(/[A-Za-z_-]+)+$' then
    perform now() at time zone name;
    return;
  elsif exists (select from pg_timezone_names z where z.name = require_time_zone.name) then
    return;
  end if;
  raise invalid_parameter_value;
exception when invalid_parameter_value then
  perform service.fail(400, 'INVALID_INPUT', format('There is no time zone %s.', quote_literal(left(name, 100))));
end $$;

comment on function service_private.require_time_zone(text) is 'Nothing, or GW400 INVALID_INPUT for what is no zone of the IANA database.';

-- A pattern is a PostgreSQL regular expression, or /…/ with the flag i.
create or replace function service.pattern(declared text) returns text
  language sql immutable parallel safe
  return case
    when declared ~ '^/.*/i$' then '(?i)' || substr(declared, 2, length(declared) - 3)
    when declared ~ '^/.*/$' then substr(declared, 2, length(declared) - 2)
    else declared
  end;

comment on function service.pattern(text) is
  'The PostgreSQL regular expression of a declared pattern: itself, or what stands between slashes, with flag i only.';

revoke all on function service.pattern(text) from public;
grant execute on function service.pattern(text) to service_user;

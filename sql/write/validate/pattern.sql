-- A pattern is a PostgreSQL regular expression, or /…/ with the flag i.
create or replace function service_private.pattern(declared text) returns text
  language sql immutable parallel safe
  return case
    when declared ~ '^/.*/i$' then '(?i)' || substr(declared, 2, length(declared) - 3)
    when declared ~ '^/.*/$' then substr(declared, 2, length(declared) - 2)
    else declared
  end;

comment on function service_private.pattern(text) is
  'The PostgreSQL regular expression of a declared pattern: itself, or what stands between slashes, with flag i only.';

grant execute on function service_private.pattern(text) to service_user;

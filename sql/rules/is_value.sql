-- For a uuid and a whole number, only the spelling in which PostgreSQL shows them: two uids are never one. One
-- expression, which PostgreSQL inlines into that of service.try_cast: as PL/pgSQL, both with a search_path, they cost
-- 30 µs a query, so 1 beside the match. 0.5 is the middle between the limits of a whole number's type, which are not
-- equally far from 0.
create or replace function service_private.is_value(value text, type regtype) returns boolean
  language sql stable parallel safe
  return case
    when type in ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) then true
    when type = 'uuid'::regtype then value ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    when type = 'integer'::regtype then abs(substring(value from '^(0|-?[1-9]\d{0,9})$')::numeric + 0.5) < 2147483648
    when type = 'bigint'::regtype then abs(substring(value from '^(0|-?[1-9]\d{0,18})$')::numeric + 0.5) < 9223372036854775808
    when type = 'smallint'::regtype then abs(substring(value from '^(0|-?[1-9]\d{0,4})$')::numeric + 0.5) < 32768
    when type in ('numeric'::regtype, 'real'::regtype, 'double precision'::regtype) then value ~ '^-?\d{1,30}(\.\d{1,30})?$'
    when type = 'boolean'::regtype then value in ('true', 'false')
    when type = 'time'::regtype then value ~ '^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$'
    when type in ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) then case
      when value ~ ('^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])'
        || '([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-4]):?[0-5]\d)?)?$') then
        substr(value, 9, 2)::integer
          <= extract(day from make_date(substr(value, 1, 4)::integer, substr(value, 6, 2)::integer, 1) + interval '1 month - 1 day')
    end
    else service_private.is_label(value, type)
  end;

comment on function service_private.is_value(text, regtype) is
  'Whether a text is a value of a type, as service.try_cast reads it; null or false when it is not.';

grant execute on function service_private.is_value(text, regtype) to service_user;

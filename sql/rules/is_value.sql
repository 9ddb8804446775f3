-- Of a uuid and a whole number, only the spelling in which PostgreSQL shows them: two uids are never one. What does not match is
-- null, and stays so.
create or replace function service.is_value(value text, type regtype) returns boolean
  language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  -- From the middle between the limits of its type, which are not equally far from 0.
  whole constant numeric := abs(substring(value from '^(0|-?[1-9]\d{0,18})$')::numeric + 0.5);
  clock constant text := '([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?';
  day constant text[] := regexp_match(value,
    '^(?!0000)(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]' || clock || '(Z|[+-](0\d|1[0-4]):?[0-5]\d)?)?$');
begin
  return coalesce(case
    when type in ('text'::regtype, 'varchar', 'bpchar') then true
    when type = 'uuid'::regtype then value ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    when type = 'boolean'::regtype then value in ('true', 'false')
    when type = 'smallint'::regtype then whole < 32768
    when type = 'integer'::regtype then whole < 2147483648
    when type = 'bigint'::regtype then whole < 9223372036854775808
    when type in ('numeric'::regtype, 'real', 'double precision') then value ~ '^-?\d{1,30}(\.\d{1,30})?$'
    when type = 'time'::regtype then value ~ ('^' || clock || '$')
    when type in ('date'::regtype, 'timestamp', 'timestamptz') then
      day[3]::integer <= extract(day from make_date(day[1]::integer, day[2]::integer, 1) + interval '1 month - 1 day')
    else value in (select e.enumlabel from pg_enum e where e.enumtypid = type)
  end, false);
end $$;

comment on function service.is_value(text, regtype) is
  'Whether a text is a value of a type, as service.try_cast reads it; false for null.';

revoke all on function service.is_value(text, regtype) from public;
grant execute on function service.is_value(text, regtype) to service_user;

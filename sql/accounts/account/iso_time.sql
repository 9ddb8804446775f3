create or replace function service_private.iso_time(moment timestamptz) returns text
  language sql stable parallel safe
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

comment on function service_private.iso_time(timestamptz) is 'A moment as answers show it: ISO 8601 in UTC, with milliseconds.';

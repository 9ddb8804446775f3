create or replace function service_private.epoch_text(moment timestamptz) returns text
  language sql immutable parallel safe
  return extract(epoch from moment)::text;

comment on function service_private.epoch_text(timestamptz) is
  'Seconds since the epoch with every digit, for what is compared and not shown.';

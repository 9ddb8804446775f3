-- One function, so that a test can move the clock.
create or replace function service_private.cron_now() returns timestamptz
  language sql volatile
  return clock_timestamp();

comment on function service_private.cron_now() is
  'The clock of scheduled jobs: that of the database, whatever the clocks of gateways show.';

create or replace function service_private.sweep_cron_claims() returns integer
  language sql volatile
begin atomic
  with swept as (
    delete from service.cron_claims c
    where c.slot > service_private.cron_now() + interval '2 minutes'
      or (c.slot < service_private.cron_now() - interval '7 days'
        and exists (select from service.cron_claims n where n.job_id = c.job_id and n.slot > c.slot))
    returning 1)
  select count(*)::integer from swept;
end;

comment on function service_private.sweep_cron_claims() is
  'Deletes claims older than 7 days, except the newest of each job, and those more than 2 minutes ahead: the clock was set back. How many.';

create or replace function service_private.end_lost_cron_runs(only_of text default null) returns integer
  language plpgsql volatile as $$
declare
  state service.cron_job_state;
  ended integer := 0;
begin
  for state in
    select s.* from service.cron_job_state s where s.running_by is not null and (only_of is null or s.job_id = only_of)
    order by s.job_id for update skip locked
  loop
    continue when service_private.holds_cron_lease(state);
    perform service_private.finish_cron_run(state, jsonb_build_object('success', false, 'error',
      case when service_private.is_present(state.running_by) is false
        then 'The gateway ended, or lost its database session, before the run ended.'
        else 'The gateway did not say in time that the run ended.'
      end));
    ended := ended + 1;
  end loop;
  return ended;
end $$;

comment on function service_private.end_lost_cron_runs(text) is
  'Ends leases whose gateway is gone or too late, of one job or of all, and writes their runs down as failed. How many.';

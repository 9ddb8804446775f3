-- The row of the state is locked throughout, so that of several gateways one after the other decides. All of it commits together: a claim
-- without its lease, or the other way round, cannot be left behind. A row that another session keeps locked holds up its own job only.
create or replace function service_private.begin_cron_run(job jsonb, run jsonb, holder text)
  returns table (verdict text, scheduled_at timestamptz, late integer, log json)
  language plpgsql volatile set lock_timeout = '2s' as $$
declare
  called constant text := job ->> 'id';
  id constant uuid := run ->> 'id';
  slot constant timestamptz := run ->> 'slot';
  timeout constant interval := (job ->> 'timeoutSeconds')::double precision * interval '1 second';
  state service.cron_job_state;
  present timestamptz;
begin
  insert into service.cron_job_state (job_id) values (called) on conflict do nothing;
  select s.* into state from service.cron_job_state s where s.job_id = called for update;
  present := service_private.cron_now();
  scheduled_at := coalesce(slot, present);
  late := extract(epoch from present - scheduled_at);
  verdict := case
    when slot > present then 'early'
    when state.run_id = id and state.running_by = holder then 'run'
    when slot is null then null
    when not coalesce(state.enabled, (job ->> 'enabled')::boolean) then 'disabled'
    when run ->> 'makesUp' = 'true' and slot <= state.updated_at then 'disabled'
    when not service_private.claim_cron_slot(called, slot, id) then 'claimed'
  end;
  if verdict is null and service_private.holds_cron_lease(state) then
    verdict := 'executing';
    log := service_private.log_skipped_cron_run(called, slot is null);
  elsif verdict is null then
    verdict := 'run';
    perform service_private.end_lost_cron_runs(called);
    update service.cron_job_state s set run_id = id, run_started_at = present, run_manual = slot is null, running_by = holder,
      running_until = case
        when timeout is not null then present + timeout + interval '30 seconds'
        when service_private.is_present(holder) then 'infinity'
        else present + interval '1 hour'
      end
    where s.job_id = called;
  end if;
  return next;
end $$;

comment on function service_private.begin_cron_run(jsonb, jsonb, text) is
  'Decides whether a gateway (holder: its database session) may run a job ({id, enabled, timeoutSeconds, null: none}) now. run: {id, slot, '
  'null when it is asked for by hand, makesUp: the slot was missed}. The pause state is read, the slot claimed, then the lease taken. '
  'verdict: run, early, disabled, claimed, or executing with the log of the skipped run. The same run asked for again gets the same run. '
  'A slot that came due while the job was paused is not made up for.';

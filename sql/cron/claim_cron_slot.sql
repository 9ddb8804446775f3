create or replace function service_private.claim_cron_slot(job_id text, slot timestamptz, run_id uuid) returns boolean
  language sql volatile
begin atomic
  with claimed as (
    insert into service.cron_claims (job_id, slot, run_id) values (claim_cron_slot.job_id, claim_cron_slot.slot, claim_cron_slot.run_id)
    on conflict do nothing
    returning 1)
  select exists (select from claimed);
end;

comment on function service_private.claim_cron_slot(text, timestamptz, uuid) is 'Takes a slot of a job. False where another run has it.';

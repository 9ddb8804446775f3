-- The jobs of a gateway that serves other settings stay as long as it is there: to a new release the older one is beside it for a while.
-- One gateway at a time, or two that begin at once could wait for each other's rows.
create or replace function service_private.define_cron_jobs(definitions jsonb, holder text) returns void
  language sql volatile
begin atomic
  select pg_advisory_xact_lock(7261946176);
  with gone as (
    delete from service.cron_definitions d
    where d.job_id not in (select j.value ->> 'id' from jsonb_array_elements(definitions) j)
      and not coalesce(service_private.is_present(d.defined_by), d.defined_at > clock_timestamp() - interval '2 hours'))
  insert into service.cron_definitions (job_id, definition, defined_by)
  select j.value ->> 'id', j.value, holder from jsonb_array_elements(definitions) j
  order by 1
  on conflict (job_id)
    do update set definition = excluded.definition, defined_by = excluded.defined_by, defined_at = clock_timestamp();
end;

comment on function service_private.define_cron_jobs(jsonb, text) is
  'Makes the jobs of a gateway (holder: its database session) those of service.cron_jobs, with those of gateways that are there. A gateway '
  'calls it at its start and then hourly.';

-- Sequences are not rolled back with a transaction, and a look at one is a look past any snapshot.
create or replace function service_private.rest_worker(worker_id text, asleep boolean) returns void
  language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(7261947, 2);
  insert into service.job_workers as w (id, asleep, until)
  values (worker_id, rest_worker.asleep, clock_timestamp() + interval '1 minute')
  on conflict (id) do update set asleep = excluded.asleep, until = excluded.until;
  perform service_private.publish_sleepers();
end $$;

comment on function service_private.rest_worker(text, boolean) is
  'A worker falls asleep, so that who enqueues a job rings, or wakes up. It counts for a minute.';

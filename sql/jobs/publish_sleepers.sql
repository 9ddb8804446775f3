create or replace function service_private.publish_sleepers() returns void
  language sql volatile
begin atomic
  delete from service.job_workers w where w.until < clock_timestamp();
  select setval('service.jobs_asleep', 1, exists (select from service.job_workers w where w.asleep));
end;

comment on function service_private.publish_sleepers() is
  'Publishes where enqueuers read it whether a worker sleeps. The caller has locked out other workers.';

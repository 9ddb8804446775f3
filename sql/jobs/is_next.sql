create or replace function service_private.is_next(job service.jobs) returns boolean
  language sql stable
  return not exists (
    select from service.jobs e
    where e.queue = (job).queue and e.id <> (job).id and (e.status = 'running' or (e.status = 'pending' and e.place < (job).place)));

comment on function service_private.is_next(service.jobs) is
  'Whether a job is the next of its queue: none before it is unfinished, and none runs.';

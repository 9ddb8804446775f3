create or replace function service_private.is_next(id uuid, queue text, place bigint) returns boolean
  language sql stable
  return not exists (
    select from service.jobs e
    where e.queue = is_next.queue and e.id <> is_next.id
      and (e.status = 'running' or (e.status = 'pending' and e.place < is_next.place)));

comment on function service_private.is_next(uuid, text, bigint) is
  'Whether a job is the next of its queue: none before it is unfinished, and none runs.';

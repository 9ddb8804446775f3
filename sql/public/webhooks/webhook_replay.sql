create or replace function service.webhook_replay(job_id uuid) returns uuid
  language plpgsql volatile as $$
declare
  replay uuid;
begin
  select service_private.put_job(j.task, j.payload, jsonb_build_object(
      'queue', j.queue, 'maxAttempts', j.max_attempts, 'concurrencyKey', j.concurrency_key)) into replay
    from service.jobs j where j.id = webhook_replay.job_id and j.task = 'service.webhook';
  if replay is null then
    perform service.fail(404, 'NOT_FOUND', format('There is no job of a webhook with the id %s.', webhook_replay.job_id));
  end if;
  return replay;
end $$;

comment on function service.webhook_replay(uuid) is
  'Sends an event to its webhook once more, by a new job, whose id is returned: the same body with the same webhook-id. An event of an '
  'ordered webhook comes after those of its row that still wait. GW404 NOT_FOUND for an id that is no job of a webhook.';

-- Example: select service.webhook_replay(id) from service.jobs where task = 'service.webhook' and status = 'failed';

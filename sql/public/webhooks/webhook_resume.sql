create or replace function service.webhook_resume(id text) returns boolean
  language sql volatile
begin atomic
  with resumed as (
    update service.webhooks w set paused_at = null where w.id = webhook_resume.id and w.paused_at is not null returning 1)
  select exists (select from resumed);
end;

comment on function service.webhook_resume(text) is
  'Has events sent again to a webhook whose receiver answered 410. Those of the meantime are failed jobs: service.webhook_replay. False '
  'where it is not paused.';

-- Example: select service.webhook_resume('orders');

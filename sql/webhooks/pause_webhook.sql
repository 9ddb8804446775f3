create or replace function service_private.pause_webhook(id text) returns void
  language sql volatile
begin atomic
  update service.webhooks w set paused_at = clock_timestamp() where w.id = pause_webhook.id and w.paused_at is null;
end;

comment on function service_private.pause_webhook(text) is 'A receiver wants to hear no more: service.webhook_resume.';

-- The index of queues has bounds, and a key has none.
create or replace function service_private.webhook_queue(id text, key text[]) returns text
  language sql immutable parallel safe
  return 'service.webhook/' || id || '/' || case when octet_length(key::text) <= 100 then key::text
    else encode(sha256(convert_to(key::text, 'UTF8')), 'hex') end;

comment on function service_private.webhook_queue(text, text[]) is
  'The queue of what a webhook is told of the row with this key, so that it hears of it in the order of the commits.';

-- canonicalKey in gateway/features/storage/keys.ts says the same of requests. Upper and lower case are one on some disks.
create or replace function service_private.is_plain_key(key text) returns boolean
  language sql immutable parallel safe
  return length(key) <= 1024
    and key !~ '(^|/)\.{0,2}(/|$)'
    and key !~ '(^|[/\\])\.\.([/\\]|$)'
    and lower(split_part(key, '/', 1)) <> '_service';

comment on function service_private.is_plain_key(text) is
  'Whether a text is the canonical key of a file: no empty, . or .. segment, no slash at either end, and not one of the service''s own.';

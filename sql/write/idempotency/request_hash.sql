-- jsonb forgets what makes no difference: blanks, and the order of names.
create or replace function service_private.request_hash(request jsonb) returns bytea
  language sql immutable parallel safe
  return sha256(convert_to((request - '{key,match,return,bounds}'::text[])::text, 'UTF8'));

comment on function service_private.request_hash(jsonb) is
  'SHA-256 of what a request of service_private.write would do: not of its key, what it expects of the row, or how much of the answer it '
  'asks for.';

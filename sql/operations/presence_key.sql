create or replace function service_private.presence_key(id text) returns integer
  language sql immutable
  return ('x' || right(id, 8))::bit(32)::integer;

comment on function service_private.presence_key(text) is 'The number of the lock that stands for a presence, <pid>-<8 hex>.';

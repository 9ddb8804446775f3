-- The server asks a client that says nothing whether it is still there: one whose machine is gone ends within nine seconds.
create or replace function service_private.hold_presence(id text, before text default null) returns void
  language sql volatile
begin atomic
  select set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '1', false),
    set_config('tcp_keepalives_count', '4', false);
  select pg_advisory_unlock_shared(7261946, service_private.presence_key(before)) where before is not null;
  select pg_advisory_lock_shared(7261946, service_private.presence_key(id));
end;

comment on function service_private.hold_presence(text, text) is
  'This session stands for a gateway, <pid>-<8 hex>: what it has begun is its own as long as the session lives. before: the id that it '
  'had, in case the session is still the same.';

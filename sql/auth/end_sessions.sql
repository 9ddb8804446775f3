create or replace function service.end_sessions(uid text, only_one uuid default null, but_one uuid default null) returns integer
  language plpgsql volatile as $$
declare
  ended integer;
begin
  update service.sessions s set revoked_at = clock_timestamp()
  where s.uid = end_sessions.uid and s.revoked_at is null
    and (only_one is null or s.id = only_one) and (but_one is null or s.id <> but_one);
  get diagnostics ended = row_count;
  return ended;
end $$;

comment on function service.end_sessions(text, uuid, uuid) is
  'Ends sessions of an account: all, only one, or all but one; of another account''s none. How many it were. Their tokens are worth '
  'nothing from then on.';

revoke all on function service.end_sessions(text, uuid, uuid) from public;

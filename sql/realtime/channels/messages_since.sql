create or replace function service_private.messages_since(channel text, since bigint) returns table (seq bigint, sender uuid, frame text)
  language sql stable set jit = off
begin atomic
  with found as materialized (
    select m.seq, m.sender, service_private.broadcast_frame(m.channel, m.event, m.payload, m.seq) as frame
    from service.channel_messages m
    where m.channel = messages_since.channel and m.seq > messages_since.since
    order by m.seq
    limit 200
  ), measured as (
    select f.*, sum(octet_length(f.frame)) over (order by f.seq) - octet_length(f.frame) as before from found f
  )
  select m.seq, m.sender, m.frame from measured m where m.before < 8388608 order by m.seq;
end;

comment on function service_private.messages_since(text, bigint) is
  'The next messages of a channel after a number, as its members receive them; callers repeat the call until it returns none.';

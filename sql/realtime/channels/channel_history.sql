-- Messages that are too old are not shown, even when they are not pruned yet. At most 8 MiB of payloads: the client
-- asks again for the rest.
create or replace function service_private.channel_history(channel text, since bigint, most integer) returns text
  language sql stable set jit = off
begin atomic
  with cursor as (
    select coalesce((select c.seq from service.channel_cursors c where c.channel = channel_history.channel), 0) as seq
  ), rule as (
    select min(r.most) as most, min(r.life) as life from service_private.channel_rule(channel_history.channel) r
  ), found as materialized (
    select m.seq, m.event, m.payload, m.at
    from service.channel_messages m, cursor c, rule r
    where m.channel = channel_history.channel
      and m.seq > greatest(channel_history.since, c.seq - coalesce(r.most, c.seq)) and m.seq <= c.seq
      and (r.life is null or m.at >= clock_timestamp() - r.life)
    order by m.seq
    limit channel_history.most
  ), measured as (
    select f.*, sum(octet_length(f.payload::text)) over (order by f.seq) - octet_length(f.payload::text) as before from found f
  )
  select concat('{"type":"channel_history","channel":', to_json(channel_history.channel), ',"messages":', coalesce((
      select json_agg(json_build_object('seq', m.seq, 'event', m.event, 'payload', m.payload,
        'at', to_char(m.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by m.seq)
      from measured m
      where m.before < 8388608), '[]'),
    ',"retained":true,"latestSeq":', (select c.seq from cursor c), '}');
end;

comment on function service_private.channel_history(text, bigint, integer) is
  'The frame that answers channel_history: at most so many messages after the number since, the oldest first.';

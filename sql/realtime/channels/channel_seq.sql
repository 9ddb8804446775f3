create or replace function service_private.channel_seq(channel text) returns bigint
  language sql stable
begin atomic
  select coalesce((select c.seq from service.channel_cursors c where c.channel = channel_seq.channel), 0);
end;

comment on function service_private.channel_seq(text) is 'The number of the last message that a channel has kept; 0 before the first.';

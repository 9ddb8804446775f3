create or replace function service.large_broadcast(id bigint) returns text
  language sql stable
begin atomic
  select service.broadcast_frame(b.channel, b.event, b.payload, null) from service.broadcasts b where b.id = large_broadcast.id;
end;

comment on function service.large_broadcast(bigint) is 'What service.broadcast said and a notification only names.';

revoke all on function service.large_broadcast(bigint) from public;

create or replace function service_private.large_broadcast(id bigint) returns text
  language sql stable
begin atomic
  select service_private.broadcast_frame(b.channel, b.event, b.payload, null) from service.broadcasts b where b.id = large_broadcast.id;
end;

comment on function service_private.large_broadcast(bigint) is 'A message of service.broadcast that a notification only names.';

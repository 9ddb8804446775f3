-- The number of a message that is kept is given after the commit, by a gateway: given here, all who broadcast in that channel would wait
-- for this transaction, and one that reads in one snapshot would fail.
create or replace function service.broadcast(channel text, event text, payload jsonb) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  notice text;
  kept boolean;
  number bigint;
begin
  if coalesce(length(channel), 0) not between 1 and 200 or coalesce(length(event), 0) not between 1 and 200 then
    perform service.fail(400, 'INVALID_INPUT', 'A channel and an event have names of 1 to 200 characters.');
  end if;
  payload := coalesce(payload, 'null');
  notice := service_private.channel_notice('sql ' || gen_random_uuid(), 'broadcast', to_json(channel)::text,
    service_private.broadcast_frame(channel, event, payload::json, null));
  kept := exists (select from service_private.channel_rule(channel));
  if not kept and octet_length(notice) < 8000 then
    perform pg_notify('service_channels', notice);
    return;
  end if;
  insert into service.broadcasts (channel, event, payload, kept) values (channel, event, payload, kept) returning id into number;
  perform pg_notify('service_channels',
    case when kept then service_private.channel_notice('sql', 'waiting', '""')
      else service_private.channel_notice('sql', 'large', to_json(channel)::text, number::text) end);
end $$;

comment on function service.broadcast(text, text, jsonb) is
  'Broadcasts to a channel of realtime: every member at every gateway receives {type: broadcast, channel, event, payload} when the '
  'transaction commits, and none when it is rolled back. It asks no authorizer; so only the owner may call it, and roles that it is '
  'granted to.';

-- Example: select service.broadcast('orders', 'packed', '{"order": 7}');

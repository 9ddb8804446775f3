create or replace function service_private.channel_roster(channel text, besides uuid) returns table (id text, state text)
  language sql stable
begin atomic
  select p.id::text, p.state::text
  from service.channel_presences p
  join service.channel_gateways g on g.id = p.gateway and g.until > clock_timestamp()
  where p.channel = channel_roster.channel and p.gateway <> besides;
end;

comment on function service_private.channel_roster(text, uuid) is 'The members of a channel at other gateways than this.';

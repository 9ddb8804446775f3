create or replace function service_private.channel_rule(channel text) returns setof service.channel_rules
  language sql stable
begin atomic
  select r.* from service.channel_rules r
  where case when right(r.match, 1) = '*' then starts_with(channel_rule.channel, left(r.match, -1)) else r.match = channel_rule.channel end
  order by r.place
  limit 1;
end;

comment on function service_private.channel_rule(text) is 'The rule for the messages that a channel keeps; no row: none.';

-- Neither character stands in the text of JSON by itself.
create or replace function service_private.channel_notice(said_by text, variadic fields text[]) returns text
  language sql immutable parallel safe
begin atomic
  select said_by || e'\x1e' || array_to_string(fields, e'\x1f');
end;

comment on function service_private.channel_notice(text, text[]) is
  'A notification for channel service_channels, as gateway/features/realtime/channels/bus/wire.ts reads it. said_by: the id of a gateway, '
  'which passes over its own, or sql and something that makes equal notices of one transaction two.';

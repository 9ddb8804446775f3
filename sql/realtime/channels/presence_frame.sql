create or replace function service_private.presence_frame(channel text, leaves json) returns text
  language sql stable parallel safe
begin atomic
  select concat('{"type":"presence_diff","channel":', to_json(channel), ',"joins":{},"leaves":', leaves, '}');
end;

comment on function service_private.presence_frame(text, json) is
  'What members of a channel receive when some of them ({id: state}) are gone.';

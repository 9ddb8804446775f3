create or replace function service_private.broadcast_frame(channel text, event text, payload json, seq bigint) returns text
  language sql stable parallel safe
begin atomic
  select concat('{"type":"broadcast","channel":', to_json(channel), ',"event":', to_json(event), ',"payload":', payload,
    ',"seq":' || seq, '}');
end;

comment on function service_private.broadcast_frame(text, text, json, bigint) is
  'The frame that members of a channel receive; seq null: it is not kept.';

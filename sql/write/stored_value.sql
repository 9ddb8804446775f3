create or replace function service.stored_value(value jsonb, type text, sql_type text, attributes jsonb) returns jsonb
  language sql immutable
  return case
    when value = 'null' then value
    when sql_type = 'bytea' then to_jsonb('\x' || encode(decode(value #>> '{}', 'base64'), 'hex'))
    -- These columns hold UTC; an offset that the client sent is honoured.
    when sql_type = 'timestamp without time zone' then to_jsonb(((value #>> '{}')::timestamptz at time zone 'UTC')::text)
    when type = 'string' and jsonb_typeof(value) = 'string' then to_jsonb(service.normalized_text(value #>> '{}', attributes -> 'validation'))
    else value
  end;

comment on function service.stored_value(jsonb, text, text, jsonb) is
  'A sent value as it is stored: base64 decoded for bytea, UTC for timestamps without a zone, trim, lowercase and uppercase applied.';

revoke all on function service.stored_value(jsonb, text, text, jsonb) from public;

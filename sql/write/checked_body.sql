-- In the order that clients are told of: closed fields, unknown fields, all broken rules at once, the key.
create or replace function service.checked_body(served service.collections, op text, body jsonb, id text, roles text[], uid text) returns jsonb
  language plpgsql stable as $$
declare
  sent record;
  payload jsonb := '{}';
begin
  perform service.require_open_fields(served, op, body, roles);
  perform service.require_known_fields(served, body, roles);
  perform service.require_valid_values(served, op, body);
  if op = 'update' then
    perform service.require_same_key(served, body, id);
  end if;
  for sent in select * from service.body_columns(served, body) loop
    continue when sent.is_key and (op = 'update' or sent.value in ('null', '""'));
    payload := payload || jsonb_build_object(sent.column_name, service.stored_value(sent.value, sent.type, sent.sql_type, sent.attributes));
  end loop;
  return payload || service.user_stamps(served, op, uid);
end $$;

comment on function service.checked_body(service.collections, text, jsonb, text, text[], text) is
  'What a body writes, by column, after every check of what was sent. GW400 as service.write.';

revoke all on function service.checked_body(service.collections, text, jsonb, text, text[], text) from public;

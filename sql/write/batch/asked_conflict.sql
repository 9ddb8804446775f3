create or replace function service_private.asked_conflict(body jsonb, details jsonb) returns jsonb
  language plpgsql stable as $$
declare
  names constant jsonb := coalesce(body -> 'onConflict', body -> 'on_conflict');
begin
  if jsonb_typeof(body -> 'upsert') <> 'boolean' then
    perform service.fail(400, 'INVALID_BULK_BODY', 'upsert must be true or false.', details);
  elsif names is not null and body -> 'upsert' is distinct from 'true' then
    perform service.fail(400, 'INVALID_CONFLICT_TARGET', 'onConflict asks for upsert: true beside it.', details);
  elsif jsonb_typeof(coalesce(names, '[]')) <> 'array'
    or jsonb_path_exists(coalesce(names, '[]'), '$[*] ? (@.type() != "string" || @ == "")') then
    perform service.fail(400, 'INVALID_CONFLICT_TARGET', 'onConflict must be a list of field names.', details);
  end if;
  return case when body -> 'upsert' = 'true' then jsonb_build_object('conflict', coalesce(names, '[]')) else '{}' end;
end $$;

comment on function service_private.asked_conflict(jsonb, jsonb) is
  'The conflict options of a bulk body: {"conflict": [names]} of an upsert (no names: the key), else {}. GW400 INVALID_BULK_BODY, '
  'INVALID_CONFLICT_TARGET with these details.';

create or replace function service_private.has_blank_key(op text, body jsonb, sent_key jsonb) returns boolean
  language plpgsql immutable as $$
begin
  if op <> 'create' or sent_key is null then
    return false;
  end if;
  return exists (select from jsonb_array_elements_text(sent_key) k where body -> k in ('null', '""'));
end $$;

comment on function service_private.has_blank_key(text, jsonb, jsonb) is
  'Whether a create sends one of these names, of its key or of the target of an upsert, as null or blank.';

grant execute on function service_private.has_blank_key(text, jsonb, jsonb) to service_user;

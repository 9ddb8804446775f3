-- Parts that the caller could not see or set survive a write of the rest. The result does not reveal whether they
-- exist: a map stays a map, even an empty one. Elements of a list have no identity by which to keep parts of them, so
-- an existing list can be extended, but not replaced.
create or replace function service_private.kept_parts(
  collection text, field text, sent jsonb, stored jsonb, closed jsonb, merges boolean default false) returns jsonb
  language plpgsql stable as $$
declare
  kept jsonb := case jsonb_typeof(sent) when 'object' then sent else '{}' end;
  part record;
  value jsonb;
begin
  if closed ?| '{items,types}' then
    if sent is not null and jsonb_typeof(stored) = 'array' and stored <> '[]' then
      perform service_private.refuse_unwritable(collection, array[field], format(
        '%s holds what this caller may not write or read, so it can be added to ($push) and not be replaced.', field));
    end if;
    return coalesce(sent, stored);
  elsif jsonb_typeof(stored) is distinct from 'object' then
    return sent;
  end if;
  for part in select c.key, c.value from jsonb_each(closed -> 'parts') c where stored ? c.key and (kept ? c.key or not merges) loop
    if part.value = '"unwritable"' and kept ? part.key and kept -> part.key <> stored -> part.key then
      perform service_private.refuse_unwritable(collection, array[format('%s.%s', field, part.key)]);
    end if;
    value := case part.value
      when '"unwritable"' then stored -> part.key
      when '"unread"' then coalesce(kept -> part.key, stored -> part.key)
      else service_private.kept_parts(collection, format('%s.%s', field, part.key), kept -> part.key, stored -> part.key, part.value) end;
    kept := kept || case when value is null then '{}' else jsonb_build_object(part.key, value) end;
  end loop;
  return kept;
end $$;

comment on function service_private.kept_parts(text, text, jsonb, jsonb, jsonb, boolean) is
  'The new value of a field in a stored row: the parts that are closed to the caller stay (service_private.closed_parts, of act replace). '
  'merges: unsent parts stay anyway, and are not in the result. GW400 FIELD_NOT_WRITABLE for a list with parts that are closed to the '
  'caller, unless it is empty, and for another value of a part that the caller may not write.';

grant execute on function service_private.kept_parts(text, text, jsonb, jsonb, jsonb, boolean) to service_user;

-- An id that cannot be of the key's type names no row. Most ids are plain, and cost one look. Input functions err in the
-- classes of service_private.unreadable_columns.
create or replace function service_private.is_readable_id(id text, key_types jsonb) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  parts text[] := case jsonb_array_length(key_types) when 1 then array[id] else service_private.id_parts(id) end;
  type text;
begin
  if cardinality(parts) <> jsonb_array_length(key_types) then
    return false;
  end if;
  for i in 1 .. cardinality(parts) loop
    type := key_types ->> (i - 1);
    continue when case type
      when 'text' then true
      when 'smallint' then parts[i] ~ '^\d{1,4}$'
      when 'integer' then parts[i] ~ '^\d{1,9}$'
      when 'bigint' then parts[i] ~ '^\d{1,18}$'
      when 'uuid' then parts[i] ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
      else false
    end;
    -- The plan may be its caller's: service_private.is_composite fails for a text that is no name of a type.
    execute format('select %L::%s', parts[i], case when service_private.is_composite(type) then 'jsonb' else type end);
  end loop;
  return true;
exception when data_exception or syntax_error_or_access_rule_violation or feature_not_supported or internal_error then
  return false;
end $$;

comment on function service_private.is_readable_id(text, jsonb) is 'Whether an id can be of the types of a key.';

grant execute on function service_private.is_readable_id(text, jsonb) to service_user;

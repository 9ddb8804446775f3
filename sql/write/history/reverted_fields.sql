create or replace function service.reverted_fields(fields jsonb, stored jsonb, entry jsonb) returns jsonb
  language sql immutable
begin atomic
  select coalesce(jsonb_object_agg(f.value ->> 'name',
    case f.value ->> 'type' when 'json' then service.kept_json(entry -> f.key)::jsonb else entry -> f.key end), '{}')
  from jsonb_each(fields) f
  where entry ? f.key and entry -> f.key is distinct from stored -> f.key;
end;

comment on function service.reverted_fields(jsonb, jsonb, jsonb) is
  'Of fields (service.revert_plan) the body of an update that makes a row what it is in an entry: those that differ, by their names.';

revoke all on function service.reverted_fields(jsonb, jsonb, jsonb) from public;
grant execute on function service.reverted_fields(jsonb, jsonb, jsonb) to service_user;

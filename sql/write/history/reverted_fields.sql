create or replace function service.reverted_fields(fields jsonb, stored jsonb, entry jsonb) returns jsonb
  language sql immutable
begin atomic
  select coalesce(jsonb_object_agg(f.value ->> 'name',
    case f.value ->> 'type' when 'json' then service.kept_json(v.wanted)::jsonb else v.wanted end), '{}')
  from jsonb_each(fields) f
  cross join lateral (
    select service.open_parts(entry -> f.key, f.value -> 'closed'), service.open_parts(stored -> f.key, f.value -> 'closed')
  ) v (wanted, present)
  where entry ? f.key and v.wanted is distinct from v.present;
end;

comment on function service.reverted_fields(jsonb, jsonb, jsonb) is
  'Of fields (service.revert_plan) the body of an update that makes a row what it is in an entry: those that differ in what may be '
  'read of them, by their names.';

revoke all on function service.reverted_fields(jsonb, jsonb, jsonb) from public;
grant execute on function service.reverted_fields(jsonb, jsonb, jsonb) to service_user;

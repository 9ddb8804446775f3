create or replace function service_private.reverted_fields(fields jsonb, stored jsonb, entry jsonb) returns jsonb
  language sql immutable
begin atomic
  select coalesce(jsonb_object_agg(f.value ->> 'name',
    case f.value ->> 'type' when 'json' then service_private.kept_json(v.wanted)::jsonb else v.wanted end), '{}')
  from jsonb_each(fields) f
  cross join lateral (
    select service_private.open_parts(entry -> f.key, f.value -> 'closed'), service_private.open_parts(stored -> f.key, f.value -> 'closed')
  ) v (wanted, present)
  where entry ? f.key and v.wanted is distinct from v.present;
end;

comment on function service_private.reverted_fields(jsonb, jsonb, jsonb) is
  'The body of an update that brings fields (service_private.revert_plan) of a row back to those of an entry: those whose readable parts '
  'differ, by their names.';

grant execute on function service_private.reverted_fields(jsonb, jsonb, jsonb) to service_user;

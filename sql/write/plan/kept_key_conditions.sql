create or replace function service_private.kept_key_conditions(plan jsonb, body text, id text) returns text[]
  language sql stable
begin atomic
  select array(
    select format('%s #>> ''{}'' = %s',
      case when f.unwraps is null then s.sent else format('service_private.unwrapped(%s, %L)', s.sent, f.unwraps) end,
      case jsonb_array_length(plan -> 'keyTypes') when 1 then id else format('(service_private.id_parts(%s))[%s]', id, f.key) end)
    from jsonb_to_recordset(plan -> 'fields') f (field text, key integer, unwraps text)
    cross join lateral (select format('(%s -> %L)', body, f.field) as sent) s
    where f.key is not null and plan ? 'keyTypes'
    order by f.field);
end;

comment on function service_private.kept_key_conditions(jsonb, text, text) is
  'SQL text, as conditions, of "what an update sends of the key is that of its row" (service_private.moved_fields). body, id: SQL text of '
  'the body, jsonb, and of the id, text.';

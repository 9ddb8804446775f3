-- What the service stamps itself is not judged but for a stamp that must not be empty, when nobody is signed in.
-- A file's map is an object; a JSON column that was there before holds any JSON.
create or replace function service.judged_fields(served service.collections, op text, sent text[]) returns jsonb
  language sql stable
begin atomic
  select jsonb_agg(f.spec)
  from (
    select jsonb_build_object('field', s.field, 'column', (s.property).column_name, 'type', (s.property).type, 'unwraps', s.unwraps,
      'sqlType', case when (s.property).type = 'map' and (s.property).attributes ? 'column' then null else (s.property).sql_type end,
      'rules', service.value_rules((s.property).attributes), 'maxLength', case (s.property).type when 'string' then (s.property).attributes -> 'maxLength' end,
      'required', case when op = 'create' and service.is_required(served, s.property) then service.required_message(s.field, (s.property).attributes) end,
      'key', array_position(served.key, (s.property).name)) as spec
    from service.sent_fields(served, sent) s
    where not (s.property).attributes ? 'autoValue'
    union all
    select jsonb_build_object('field', p.name, 'column', p.column_name, 'stamp', true, 'required', service.required_message(p.name, p.attributes))
    from service.properties p
    where p.collection = served.slug and p.not_null and p.attributes ->> 'autoValue' = any (case op when 'create' then array['user_on_create', 'user_on_update'] else array['user_on_update'] end)
  ) f;
end;

comment on function service.judged_fields(service.collections, text, text[]) is
  'How the values of a body are judged, field by field: {field, column, type, sqlType?, unwraps?, rules?, maxLength?, required? (the message), key? (its place), stamp?}; null when there is nothing to judge.';

revoke all on function service.judged_fields(service.collections, text, text[]) from public;

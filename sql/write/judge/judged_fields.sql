-- What the service stamps itself is not judged but for a stamp that must not be empty, when nobody is signed in.
-- A file's map is an object; a JSON column that was there before holds any JSON.
create or replace function service.judged_fields(
  served service.collections, op text, sent text[], operations jsonb default null) returns jsonb
  language plpgsql stable as $$
begin
  return (
    select jsonb_agg(f.spec)
    from (
      select jsonb_build_object(
        'field', s.field,
        'column', p.column_name,
        'type', case when service.is_composite(p.sql_type) then 'composite' else p.type end,
        'sqlType', case when p.type <> 'map' or not p.attributes ? 'column' then p.sql_type end,
        'unwraps', s.unwraps,
        'operation', o.name,
        'rules', case when o.name is null then service.value_rules(p.attributes)
          else service.operand_rules(service.value_rules(p.attributes), o.name) end,
        'maxLength', case p.type when 'string' then p.attributes -> 'maxLength' end,
        'required', case when op = 'create' and service.is_required(served, p) then service.required_message(s.field, p.attributes) end,
        'key', array_position(served.key, p.name)) as spec
      from service.sent_fields(served, sent) s
      cross join lateral (select (s.property).*) p
      cross join lateral (select operations ->> s.field) o (name)
      where not p.attributes ? 'autoValue'
      union all
      select jsonb_build_object(
        'field', p.name,
        'column', p.column_name,
        'stamp', true,
        'required', service.required_message(p.name, p.attributes))
      from service.properties p
      where p.collection = served.slug and p.not_null
        and p.attributes ->> 'autoValue' in ('user_on_update', case op when 'create' then 'user_on_create' end)
    ) f);
end $$;

comment on function service.judged_fields(service.collections, text, text[], jsonb) is
  'How the values of a body are judged, field by field: {field, column, type, sqlType?, unwraps?, operation?, rules?, maxLength?, '
  'required? (the message), key? (its place), stamp?}; null when there is nothing to judge.';

revoke all on function service.judged_fields(service.collections, text, text[], jsonb) from public;

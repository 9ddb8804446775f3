-- Stamps of the service are not validated, except one that must not be empty, without a sign-in.
create or replace function service_private.validated_fields(
  served service.collections, op text, sent text[], operations jsonb, roles text[]) returns jsonb
  language plpgsql stable as $$
begin
  return (
    select jsonb_agg(f.spec)
    from (
      select service_private.value_spec(s.property, o.name) || jsonb_strip_nulls(jsonb_build_object(
        'field', s.field,
        'unwraps', s.unwraps,
        'operation', o.name,
        'closed', service_private.closed_parts_of(s.property, roles, 'write'),
        'required', case when op = 'create' and service_private.is_required(served, p)
          then service_private.required_message(s.field, p.attributes) end,
        'key', array_position(served.key, p.name))) as spec
      from service_private.sent_fields(served, sent) s
      cross join lateral (select (s.property).*) p
      cross join lateral (select operations ->> s.field) o (name)
      where not p.attributes ? 'autoValue'
      union all
      select jsonb_build_object(
        'field', p.name,
        'column', p.column_name,
        'stamp', true,
        'required', service_private.required_message(p.name, p.attributes))
      from service.properties p
      where p.collection = served.slug and p.not_null
        and p.attributes ->> 'autoValue' in ('user_on_update', case op when 'create' then 'user_on_create' end)
    ) f);
end $$;

comment on function service_private.validated_fields(service.collections, text, text[], jsonb, text[]) is
  'How the values of a body are judged, field by field: service_private.value_spec with {field, unwraps?, operation?, closed? (to these '
  'roles: service_private.closed_parts_of), required? (the message), key? (its place)}, or {field, column, stamp, required}; null when '
  'there is '
  'nothing to judge.';

create or replace function service.require_valid_values(served service.collections, op text, body jsonb) returns void
  language plpgsql stable as $$
declare
  violations jsonb;
  only_types boolean;
  messages jsonb;
begin
  select jsonb_agg(jsonb_build_object('field', v.field, 'code', v.code, 'message', v.message) order by v.field, v.code), bool_and(v.code = 'type'), jsonb_agg(v.message order by v.field, v.code)
    into violations, only_types, messages
  from (
    select m.* from service.missing_values(served, op, body) m
    union all
    select v.* from service.body_columns(served, body) s, service.violations(s.field, s.value, s.type, s.sql_type, s.attributes) v
  ) v;
  if violations is not null then
    perform service.fail(400, case when only_types then 'VALIDATION_INVALID_VALUE' else 'VALIDATION_CONSTRAINT' end,
      (select string_agg(m, ' ') from jsonb_array_elements_text(messages) m),
      jsonb_build_object('collection', served.slug, 'violations', violations, 'messages', messages));
  end if;
end $$;

comment on function service.require_valid_values(service.collections, text, jsonb) is
  'Nothing, or every broken rule of a body at once: GW400 VALIDATION_INVALID_VALUE when values are of the wrong type only, else VALIDATION_CONSTRAINT; details {collection, violations: [{field, code, message}], messages}.';

revoke all on function service.require_valid_values(service.collections, text, jsonb) from public;

-- The author's message for a rule need not name the field, and one message may cover several.
create or replace function service_private.refuse_violations(collection text, violations jsonb) returns void
  language plpgsql stable as $$
declare
  messages jsonb := (select jsonb_agg(v -> 'message' order by n) from jsonb_array_elements(violations) with ordinality u (v, n));
  only_types boolean := (select bool_and(v ->> 'code' in ('type', 'conflict')) from jsonb_array_elements(violations) v);
begin
  perform service.fail(400, case when only_types then 'VALIDATION_INVALID_VALUE' else 'VALIDATION_CONSTRAINT' end,
    (
      select string_agg(case when strpos(v ->> 'message', v ->> 'field') = 0 then format('%s: ', v ->> 'field') else '' end
        || (v ->> 'message'), ' ' order by n)
      from jsonb_array_elements(violations) with ordinality u (v, n)),
    jsonb_build_object('collection', collection, 'violations', violations, 'messages', messages));
end $$;

comment on function service_private.refuse_violations(text, jsonb) is
  'Refuses a body for all its broken rules [{field, code, message}]: GW400 VALIDATION_INVALID_VALUE when values are of the wrong '
  'type only, else VALIDATION_CONSTRAINT; details {collection, violations, messages}.';

grant execute on function service_private.refuse_violations(text, jsonb) to service_user;

create or replace function service_private.validated_body(body jsonb, operations jsonb) returns jsonb
  language plpgsql immutable as $$
begin
  return case when operations is null then body
    else body || (select jsonb_object_agg(o.key, service_private.sent_operand(body -> o.key, o.value))
      from jsonb_each_text(operations) o) end;
end $$;

comment on function service_private.validated_body(jsonb, jsonb) is
  'A body whose fields are judged by the plan of these operations (service_private.sent_operations): operands in place of operations.';

grant execute on function service_private.validated_body(jsonb, jsonb) to service_user;

create or replace function service_private.validate_one(single jsonb, shape jsonb, inout plan jsonb, out moved text[])
  language plpgsql stable as $$
begin
  plan := coalesce(plan, service_private.write_plan(shape, string_to_array(service.roles(), ',')));
  -- A write that refers to a row that does not exist yet is validated in its turn.
  moved := case when not service_private.has_refs(single) then service_private.validate_write(single, plan) end;
end $$;

comment on function service_private.validate_one(jsonb, jsonb, jsonb) is
  'Judges one write among many, before any of them runs (service_private.validate_write), by its plan or, without one, that of its shape.';

grant execute on function service_private.validate_one(jsonb, jsonb, jsonb) to service_user;

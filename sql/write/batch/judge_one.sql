create or replace function service.judge_one(single jsonb, shape jsonb, inout plan jsonb, out moved text[])
  language plpgsql stable as $$
begin
  plan := coalesce(plan, service.write_plan(shape, string_to_array(service.roles(), ',')));
  -- What refers to a row that is not there yet is judged in its turn.
  moved := case when not service.has_refs(single) then service.judge_write(single, plan) end;
end $$;

comment on function service.judge_one(jsonb, jsonb, jsonb) is
  'Judges one write among many, before any of them runs (service.judge_write), by its plan or, without one, that of its shape.';

revoke all on function service.judge_one(jsonb, jsonb, jsonb) from public;
grant execute on function service.judge_one(jsonb, jsonb, jsonb) to service_user;

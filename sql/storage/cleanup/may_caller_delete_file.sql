create or replace function service_private.may_caller_delete_file(caller text[], file jsonb) returns boolean
  language plpgsql volatile as $$
declare
  entered boolean := service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
begin
  return service_private.may_delete_file(file);
end $$;

comment on function service_private.may_caller_delete_file(text[], jsonb) is
  'service_private.may_delete_file for this caller (the five values of service.enter).';

grant execute on function service_private.may_caller_delete_file(text[], jsonb) to service_user;

create or replace function service.grant_served() returns setof text
  language plpgsql volatile set jit = off as $$
declare
  statement text;
begin
  perform set_config('rowgate.granting', 'on', true);
  for statement in select * from service.missing_grants() loop
    execute statement;
    return next statement;
  end loop;
end $$;

comment on function service.grant_served() is 'Runs the statements of service.missing_grants() and returns them.';

revoke all on function service.grant_served() from public;

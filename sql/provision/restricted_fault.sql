-- A session that has become service_user by SET ROLE becomes its owner again where the SQL under trial calls set_config('role', …).
-- Inside of a security definer function PostgreSQL refuses that, so the trial runs in one that service_user owns. The function, and
-- everything else that a statement does, is rolled back; locks of the session are not, and are released.
create or replace function service_private.restricted_fault(statements text[]) returns text
  language plpgsql volatile set standard_conforming_strings = on set search_path = public, pg_temp as $$
declare
  fault text;
begin
  -- service_user can enter as anybody, so an error of the trial may tell what any row holds.
  if current_setting('rowgate.trials', true) = 'off' then
    return null;
  end if;
  begin
    create function pg_temp.run_restricted(statements text[]) returns void
      language plpgsql security definer set search_path = public, pg_temp as $body$
      declare
        statement text;
      begin
        if current_user <> 'service_user' then
          raise exception 'a trial runs as %, not as service_user', current_user;
        end if;
        foreach statement in array statements loop
          execute statement;
        end loop;
      end $body$;
    alter function pg_temp.run_restricted(text[]) owner to service_user;
    begin
      perform pg_temp.run_restricted(statements);
    exception when others then
      fault := sqlerrm;
    end;
    raise exception using errcode = 'GW000', message = 'undone';
  exception
    when sqlstate 'GW000' then null;
    when insufficient_privilege then
      fault := 'it cannot be tried as service_user: ' || sqlerrm;
  end;
  perform pg_advisory_unlock_all();
  return fault;
end $$;

comment on function service_private.restricted_fault(text[]) is
  'Why statements, one after the other, fail for service_user; null when they do not. Nothing of what they do stays. They have the rights '
  'of service_user and no way to others, so they may hold SQL of a definition; unqualified names mean schema public. Needs an owner that '
  'may become service_user, and TEMPORARY on the database for both. Releases the advisory locks of the session. With the setting '
  'rowgate.trials off it runs nothing and returns null: for those who may see definitions and no rows.';

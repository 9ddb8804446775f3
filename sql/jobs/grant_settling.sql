create or replace function service_private.grant_settling(login text) returns void
  language plpgsql volatile as $$
begin
  if not has_schema_privilege(login, 'service_private', 'usage') then
    execute format('grant usage on schema service_private to %I', login);
  end if;
  if not has_function_privilege(login, 'service_private.finish_job(uuid, text, integer, jsonb)', 'execute') then
    execute format('grant execute on function service_private.finish_job(uuid, text, integer, jsonb) to %I', login);
  end if;
end $$;

comment on function service_private.grant_settling(text) is
  'Lets the login that handlers in SQL run on say that they are done. It is not the role of requests, which may not.';

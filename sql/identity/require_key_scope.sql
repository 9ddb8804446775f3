-- The gateway judges what a path and a query name. This is for what only a plan or a trigger knows: the rows that a body links.
create or replace function service_private.require_key_scope(scope text) returns void
  language plpgsql stable as $$
declare
  held constant jsonb := service_private.key_scopes();
begin
  if held is not null and not held ?| array[scope, substring(scope from '^[^:]+:[^:]+')] then
    perform service.fail(403, 'API_KEY_FORBIDDEN', format('This API key has no scope %s.', scope),
      jsonb_build_object('requiredScope', scope));
  end if;
end $$;

comment on function service_private.require_key_scope(text) is
  'Nothing, or GW403 API_KEY_FORBIDDEN {requiredScope} when the caller is an API key without this scope (resource:action, or '
  'resource:action:target, which a scope for all targets covers).';

grant execute on function service_private.require_key_scope(text) to service_user;

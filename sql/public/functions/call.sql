create or replace function service.call(name text, arguments json default '{}', request json default '{}',
  claims jsonb default service_private.service_claims())
  returns json
  language plpgsql volatile as $$
declare
  asked record := service_private.call_shape(name, arguments, request);
  listed text[] := service_private.texts((service_private.called_endpoint(asked.shape)).document -> 'roles');
begin
  if listed <> '{}' and not service_private.is_open(listed, service_private.claimed_roles(claims)) then
    perform service.fail(403, 'FORBIDDEN', format('%s needs one of the roles %s.', name, array_to_string(listed, ', ')));
  end if;
  return (select nullif(r, '')::json from service_private.run_shape(asked.shape, asked.parameters, claims, '', arguments::text) r);
end $$;

comment on function service.call(text, json, json, jsonb) is
  'The answer of POST /functions/<name>, as JSON; null for a function that returns nothing. arguments: by name, or for a function of one '
  'JSON argument without a name its value. request: of rows, as service.list takes it. claims: the caller, by default the service key. '
  'Roles that the function asks for (@roles) are checked, scopes are not. GW404 FUNCTION_NOT_FOUND, GW400 '
  'VALIDATION_UNKNOWN_FIELDS, VALIDATION_CONSTRAINT, VALIDATION_INVALID_VALUE, and those of the function and of lists.';

-- Example: select service.call('best_sellers', '{"since": "2024-01-01"}', '{"orderBy": [{"field": "pieces"}], "limit": 3}');

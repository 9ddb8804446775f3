-- Policies for everyone, or by a row, hold for anonymous callers as well; only the others need a sign-in.
create or replace function service_private.authorize_file(request jsonb, out status integer, out reason text, out bound jsonb)
  language plpgsql volatile as $$
declare
  operation constant text := request ->> 'operation';
  key constant text := request ->> 'key';
  is_early constant boolean := request ? 'early';
  is_stranger constant boolean := service.uid() = 'anonymous';
  is_let_in boolean;
  rules record;
  policy jsonb;
  allows boolean;
begin
  if operation = 'read' and starts_with(key, 'public/') then
    reason := 'what lies under public/ is for everybody';
    return;
  end if;
  rules := service_private.file_rules(operation, key);
  is_let_in := rules.is_open or not is_stranger;
  if not is_let_in and not coalesce(rules.policies @? '$[*] ? (@.allow == "public" || @.allow == "row")', false) then
    status := 401;
    reason := 'not signed in';
    return;
  end if;
  if operation = 'write' then
    bound := service_private.require_file_fits(request);
  end if;
  if rules.authorizer is null and not rules.has_policies then
    reason := case when is_stranger then 'the settings let in who has not signed in'
      else 'signed in, and there are no rules' end;
    return;
  end if;
  allows := not rules.has_policies;
  for policy in select p from jsonb_array_elements(rules.policies) p loop
    allows := case policy ->> 'allow'
      when 'public' then true
      when 'row' then service_private.allows_row(policy ->> 'subject', policy ->> 'id', operation in ('write', 'delete'))
      when 'authenticated' then not is_stranger
      else is_let_in and (is_early or service_private.allows_call(policy ->> 'subject', request, policy -> 'params')) end;
    reason := format('policies[%s] (%s): %s', policy ->> 'place', policy ->> 'path',
      concat_ws(' ', policy ->> 'allow', policy ->> 'subject', policy ->> 'id'));
    exit when allows;
  end loop;
  if not allows then
    reason := case when reason is null then 'no policy is about this' else 'of the policies that are about this none allows it' end;
  elsif rules.authorizer is not null and not is_early then
    allows := service_private.allows_call(rules.authorizer, request);
    reason := concat_ws('; ', reason, format('authorize: %s', rules.authorizer));
  end if;
  status := case when allows then null when is_let_in then 403 else 401 end;
end $$;

comment on function service_private.authorize_file(jsonb) is
  'Whether a function of the project allows a request, as the caller who entered; null is no. It receives the request of '
  'service_private.allow_file, with user (service_private.file_user) and params. GW403 FORBIDDEN in the words that it raises.';

grant execute on function service_private.authorize_file(jsonb) to service_user;

-- Variants of service.enter.
create function service.enter_json(claims text) returns boolean
  language plpgsql volatile as $$
declare
  claim json := claims;
  uid text := coalesce(nullif(claim ->> 'uid', ''), 'anonymous');
begin
  if current_user <> 'service_user' then
    raise exception using errcode = '42501';
  end if;
  return set_config('app.uid', uid, true) is not null
    and set_config('app.user_roles', case when uid = 'anonymous' then 'anon' else coalesce(claim ->> 'roles', '') end, true) is not null
    and set_config('app.is_anonymous', coalesce(claim ->> 'isAnonymous', 'false'), true) is not null
    and set_config('app.jwt', coalesce(claim ->> 'jwt', '{}'), true) is not null;
end $$;

create function service.enter_array(caller text[]) returns boolean
  language plpgsql volatile as $$
begin
  if current_user <> 'service_user' then
    raise exception using errcode = '42501';
  end if;
  return set_config('app.uid', caller[1], true) is not null
    and set_config('app.user_roles', caller[2], true) is not null
    and set_config('app.is_anonymous', caller[3], true) is not null
    and set_config('app.jwt', caller[4], true) is not null
    and set_config('request.jwt.claims', caller[5], true) is not null;
end $$;

create function service.enter_refusal() returns boolean
  language plpgsql volatile as $$
begin
  raise exception using errcode = '42501';
end $$;

create function service.enter_inlined(uid text, roles text, is_anonymous text, jwt text, claims text) returns boolean
  language sql volatile
  return case
    when current_user <> 'service_user' then service.enter_refusal()
    else set_config('app.uid', uid, true) is not null
      and set_config('app.user_roles', roles, true) is not null
      and set_config('app.is_anonymous', is_anonymous, true) is not null
      and set_config('app.jwt', jwt, true) is not null
      and set_config('request.jwt.claims', claims, true) is not null
  end;

grant execute on function service.enter_json(text), service.enter_array(text[]), service.enter_refusal(),
  service.enter_inlined(text, text, text, text, text) to service_user;

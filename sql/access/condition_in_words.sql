create or replace function service_private.condition_in_words(condition text, verdict text, claims jsonb) returns text
  language sql immutable parallel safe
begin atomic
  select case
    when verdict like 'error%' then format('%s fails (%s)', c.text, substr(verdict, 7))
    when o.owner is not null and coalesce(claims ->> 'uid', 'anonymous') = 'anonymous'
      then format('%s is compared with the caller, who is not signed in', o.owner)
    when o.owner is not null then format('%s is someone else''s', o.owner)
    when verdict = 'false' and condition ~ '^\(*NOT \(* ?(SELECT )?service\.is_anonymous\(\)' then 'the caller is a guest'
    when r.roles is not null then format('the caller has no role of %s', r.roles)
    else format('%s is %s', c.text, verdict) end
  from (select left(regexp_replace(condition, '\s+', ' ', 'g'), 200)) c (text)
  cross join lateral service_private.owner_of(condition) o (owner)
  cross join lateral (select nullif(array_to_string(service_private.named_roles(condition), ', '), '')) r (roles);
end;

comment on function service_private.condition_in_words(text, text, jsonb) is
  'Why a condition of a policy, with this verdict of service_private.verdicts, does not let the caller with these claims pass.';

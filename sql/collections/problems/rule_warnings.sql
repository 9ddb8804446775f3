create or replace function service_private.rule_warnings() returns table (path text, warning text)
  language plpgsql stable set jit = off set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return query
  select r.path, 'lets guests and visitors without a sign-in through: each of them has a uid'
  from service_private.security_rules() r
  where coalesce(r.rule ->> 'using', r.rule ->> 'withCheck')
    ~* '^\(*\s*\(?\s*(select\s+)?(service|auth)\.uid\(\)\s*\)?\s+is\s+not\s+null\s*\)*$';
end $$;

comment on function service_private.rule_warnings() is
  'The security rules that are true for everybody, where who writes them usually means people.';

create or replace function service_private.beyond_rank(held_roles text[], rank jsonb) returns text[]
  language sql stable
begin atomic
  select coalesce(array_agg(distinct b.beyond order by b.beyond), '{}')
  from unnest(held_roles) r (role)
  cross join lateral (
    select array(
      select s.scope from jsonb_array_elements_text(rank -> 'declared' -> r.role) s (scope) where not rank -> 'scopes' ? s.scope) as scopes
  ) l
  cross join lateral (
    select unnest(l.scopes)
    union all
    select r.role where l.scopes = '{}' and not rank -> 'roles' ? r.role
  ) b (beyond)
  where rank <> 'null';
end;

comment on function service_private.beyond_rank(text[], jsonb) is
  'The part of these roles that is beyond a rank ({roles: those that the manager has or may assign, scopes: the manager''s, declared: '
  '{role: its scopes}}; null for an admin, whose rank has no bound): scopes of declared roles that the manager lacks, and roles that are '
  'not among those of the rank.';

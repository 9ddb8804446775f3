create or replace function service.beyond_rank(held_roles text[], rank jsonb) returns text[]
  language sql stable
begin atomic
  select coalesce(array_agg(distinct b.beyond order by b.beyond), '{}')
  from unnest(held_roles) r (role)
  cross join lateral (
    select s.scope from jsonb_array_elements_text(rank -> 'declared' -> r.role) s (scope) where not rank -> 'scopes' ? s.scope
    union all
    select r.role where not rank -> 'declared' ? r.role and not rank -> 'roles' ? r.role
  ) b (beyond)
  where rank <> 'null';
end;

comment on function service.beyond_rank(text[], jsonb) is
  'What roles give beyond a rank ({roles, scopes, declared: {role: its scopes}}; null: an admin''s, which nothing is beyond): scopes of '
  'declared roles that it lacks, and other roles, admin among them, that it lacks. What those open is for row security to say.';

revoke all on function service.beyond_rank(text[], jsonb) from public;

-- As rules are written (service_private.roles_test), and as policies by hand usually are.
create or replace function service_private.named_roles(condition text) returns text[]
  language sql immutable parallel safe
begin atomic
  select coalesce(array_agg(distinct r.role order by r.role), '{}')
  from (
    select string_to_table(m.parts[1], ',')
    from regexp_matches(condition, $r$service\.roles\(\), ','::text\) (?:&&|@>) '\{([^}]+)\}'$r$, 'g') m (parts)
    union
    select m.parts[1]
    from regexp_matches(condition, $r$'([^']+)'::text = ANY \(string_to_array\((?:\( SELECT )?service\.roles\(\)$r$, 'g') m (parts)
  ) r (role);
end;

comment on function service_private.named_roles(text) is
  'The roles of callers that a condition, as PostgreSQL writes it, asks for.';

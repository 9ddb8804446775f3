create or replace function service_private.asked_roles() returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce(array_agg(distinct r.role order by r.role), '{}')
  from pg_policy p
  join service.collections c on to_regclass(format('%I.%I', c.schema_name, c.table_name)) = p.polrelid
  cross join lateral concat(pg_get_expr(p.polqual, p.polrelid), ' ', pg_get_expr(p.polwithcheck, p.polrelid)) e (text)
  cross join lateral (
    select string_to_table(m.parts[1], ',')
    from regexp_matches(e.text, $r$service\.roles\(\), ','::text\) (?:&&|@>) '\{([^}]+)\}'$r$, 'g') m (parts)
    union
    select m.parts[1]
    from regexp_matches(e.text, $r$'([^']+)'::text = ANY \(string_to_array\((?:\( SELECT )?service\.roles\(\)$r$, 'g') m (parts)
  ) r (role);
end;

comment on function service_private.asked_roles() is 'The roles of callers that policies of served tables ask for.';

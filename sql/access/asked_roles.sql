create or replace function service_private.asked_roles() returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce(array_agg(distinct r.role order by r.role), '{}')
  from pg_policy p
  join service.collections c on to_regclass(format('%I.%I', c.schema_name, c.table_name)) = p.polrelid
  cross join lateral concat(pg_get_expr(p.polqual, p.polrelid), ' ', pg_get_expr(p.polwithcheck, p.polrelid)) e (text)
  cross join lateral unnest(service_private.named_roles(e.text)) r (role);
end;

comment on function service_private.asked_roles() is 'The roles of callers that policies of served tables ask for.';

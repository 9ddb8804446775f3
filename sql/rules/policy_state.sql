-- Names roles by name: after a restore elsewhere they have other ids. In PL/pgSQL, which plans it once: it runs for
-- every policy.
create or replace function service_private.policy_state(policy oid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select left(encode(sha256(convert_to(concat_ws('|', p.polcmd, p.polpermissive,
      (select string_agg(r.name, ',' order by r.name)
        from unnest(p.polroles) o cross join lateral (select case o when 0 then 'public' else pg_get_userbyid(o)::text end as name) r),
      pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)), 'UTF8')), 'hex'), 16)
    from pg_policy p where p.oid = policy_state.policy);
end $$;

comment on function service_private.policy_state(oid) is 'A hash of what a policy says now, as this version of PostgreSQL writes it.';

create or replace function service_private.hides_rows(relation oid) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select c.relrowsecurity and (
    not exists (
      select from pg_policy p
      where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*') and pg_get_expr(p.polqual, p.polrelid) = 'true'
        and p.polroles && array[0::oid, (select r.oid from pg_roles r where r.rolname = 'service_user')])
    or exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive and p.polcmd in ('r', '*')))
  from pg_class c where c.oid = hides_rows.relation;
end;

comment on function service_private.hides_rows(oid) is
  'Whether row security may hide rows of a table from some request: false where no policy would be asked.';

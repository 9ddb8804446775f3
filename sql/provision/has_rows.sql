-- A table that cannot be read counts as populated: it gets no change that needs an empty table.
create or replace function service_private.has_rows(relation oid) returns boolean
  language plpgsql stable as $$
declare
  found boolean := true;
begin
  if has_table_privilege(relation, 'select') and not (select c.relforcerowsecurity from pg_catalog.pg_class c where c.oid = relation) then
    execute format('select exists (select from %s)', relation::regclass) into found;
  end if;
  return found;
end $$;

comment on function service_private.has_rows(oid) is 'Whether a table has any row; true when that cannot be seen.';

-- A policy may be fine by itself and still fail every request: one that asks its own table recurses, directly or
-- through another's policies, and one may read what service_user must not. EXPLAIN meets both without touching a row. It calls stable
-- functions for its estimates, so it runs with no more rights than a request.
create or replace function service_private.unusable_reason(relation regclass) returns text
  language plpgsql volatile as $$
declare
  any_column text := (
    select quote_ident(a.attname) from pg_catalog.pg_attribute a
    where a.attrelid = relation and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
    order by a.attnum desc
    limit 1);
begin
  if not service_private.can_restrict() then
    return null;
  end if;
  return service_private.restricted_fault(array(
    select c.statement
    from (values
      (1, 'select', format('explain select from %s', relation)),
      (2, 'insert', format('explain insert into %s default values', relation)),
      (3, 'update', format('explain update %s set ', relation) || any_column || ' = ' || any_column),
      (4, 'delete', format('explain delete from %s', relation))) c (n, privilege, statement)
    where c.statement is not null and has_table_privilege('service_user', relation, c.privilege)
    order by c.n));
end $$;

comment on function service_private.unusable_reason(regclass) is
  'Why no request could read or write a table, whatever its rows: policies that recurse, or read what service_user may not. Null '
  'when requests can, and when this session may not try (service_private.can_restrict).';

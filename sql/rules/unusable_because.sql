-- A policy may be fine by itself and still fail every request: one that asks its own table recurses, directly or
-- through another's policies, and one may read what service_user must not. EXPLAIN meets both without touching a row.
create or replace function service.unusable_because(relation regclass) returns text
  language plpgsql volatile as $$
declare
  role_before text := current_setting('role');
  command record;
  any_column text := (
    select quote_ident(a.attname) from pg_catalog.pg_attribute a
    where a.attrelid = relation and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
    order by a.attnum desc
    limit 1);
begin
  if not pg_has_role(current_user, 'service_user', 'member') then
    return null;
  end if;
  perform set_config('role', 'service_user', true);
  for command in
    select * from (values
      ('select', format('explain select from %s', relation)),
      ('insert', format('explain insert into %s default values', relation)),
      ('update', format('explain update %s set ', relation) || any_column || ' = ' || any_column),
      ('delete', format('explain delete from %s', relation))) c (privilege, statement)
    where c.statement is not null
  loop
    if has_table_privilege(relation, command.privilege) then
      execute command.statement;
    end if;
  end loop;
  perform set_config('role', role_before, true);
  return null;
exception when others then
  return sqlerrm;
end $$;

comment on function service.unusable_because(regclass) is
  'Why no request could read or write a table, whatever its rows: policies that recurse, or read what service_user may not. Null '
  'when requests can, and when this session may not become service_user.';

revoke all on function service.unusable_because(regclass) from public;

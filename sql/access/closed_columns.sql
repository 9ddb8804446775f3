-- A write needs the columns that it gives values to. Reads need the whole table: the tag of a row is made of a system column, which no
-- grant on columns covers. Columns without a grant are named all the same, since one of them is the likely cause.
create or replace function service_private.closed_columns(served service.collections, operation text, proposed jsonb, claims jsonb)
  returns table (privilege text, closed text[])
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select g.privilege, coalesce(case
    when has_table_privilege('service_user', c.oid, g.privilege) then '{}'
    when g.privilege = 'delete' or not has_any_column_privilege('service_user', c.oid, g.privilege) then '{*}'
    else nullif(array(
      select a.attname::text
      from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and not has_column_privilege('service_user', c.oid, a.attnum, g.privilege)
        and case g.privilege
          when 'select' then exists (
            select from service.properties p
            where p.collection = served.slug and p.column_name = a.attname and not p.excluded
              and service_private.readable(p, service_private.claimed_roles(claims)))
          else service_private.tried_columns(served, closed_columns.operation, proposed, claims) ? a.attname end
      order by a.attnum), case g.privilege when 'select' then '{}'::text[] end) end, '{*}')
  from pg_class c
  cross join lateral unnest(array['select'] || case closed_columns.operation
    when 'create' then '{insert}'
    when 'update' then '{update}'
    when 'delete' then array[case when service_private.deletion_stamp(served.slug) is null then 'delete' else 'update' end]
    else '{}' end::text[]) g (privilege)
  where c.oid = to_regclass(service_private.table_name(served.slug));
end;

comment on function service_private.closed_columns(service.collections, text, jsonb, jsonb) is
  'For each privilege that service_user needs for a request the columns that it has no such grant on: none, or * for the whole table.';

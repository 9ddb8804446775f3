-- xmin, the transaction that wrote the row's version: it changes with every write, by any writer, and reveals nothing
-- of any column, so that no caller can guess at one it may not read. Hashing the row itself would cost a fifth of the
-- statement (12 of 57 microseconds of the example's products), this costs 3.5. An update that changes no value makes
-- a new tag all the same. The seed covers what xmin does not: the server and database (a restored copy counts its
-- transactions anew), and the columns as these roles read them (a column added with a default leaves xmin alone). A
-- view or foreign table has no xmin, so there the columns themselves are hashed, only those that these roles may
-- read.
create or replace function service_private.row_tag(collection text, alias text, roles text[], version text default null) returns text
  language plpgsql stable as $$
begin
  return (
    select format('to_hex(hashtextextended(%s, %L))',
      case when r.relkind in ('v', 'f')
        then format('row(%s)::text', string_agg(
          service_private.open_expression(format('%s.%I', alias, p.column_name), o.closed), ', ' order by p.position))
        else coalesce(version, format('%s.%I', alias, service_private.unused_prefix(row_tag.collection) || 'xmin')) || '::text' end,
      hashtextextended(concat_ws(' ',
        (select s.system_identifier from pg_control_system() s),
        (select d.oid from pg_database d where d.datname = current_database()),
        r.oid,
        jsonb_agg(jsonb_build_array(p.name, p.column_name, p.sql_type)
          || case when o.closed is null then '[]' else jsonb_build_array(o.closed) end order by p.position)), 0))
    from service.collections c
    join pg_class r on r.oid = to_regclass(format('%I.%I', c.schema_name, c.table_name))
    join service.properties p on p.collection = c.slug and not p.excluded and service_private.readable(p, roles)
    cross join lateral (select service_private.closed_parts_of(p, roles, 'read')) o (closed)
    where c.slug = row_tag.collection
    group by r.relkind, r.oid);
end $$;

comment on function service_private.row_tag(text, text, text[], text) is
  'SQL text of the tag of a stored row, hexadecimal, for rows that have service_private.version_columns beside their own: it changes with '
  'every write to the row, and differs between callers who read different columns. The API sends it as ETag. version: SQL text of '
  'the row''s xmin, where it is the table''s own.';

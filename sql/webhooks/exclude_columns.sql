create or replace function service_private.exclude_columns() returns void
  language sql volatile set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with wanted as (
    select w.id,
      service_private.excluded_columns(w.schema_name, w.table_name)
        || coalesce(service_private.texts(w.given -> 'excludeColumns'), '{}') as excluded,
      o.parts
    from service.webhooks w
    cross join lateral (
      select jsonb_object_agg(p.column_name, service_private.open_expression('$1', d.parts)) as parts
      from service.collections c
      join service.properties p on p.collection = c.slug and not p.excluded
      cross join lateral (select nullif(service_private.closed_parts_of(p, null, 'record'), 'null') as parts) d
      where c.schema_name = w.schema_name and c.table_name = w.table_name and d.parts is not null) o)
  update service.webhooks w set excluded = n.excluded, open_parts = n.parts
  from wanted n
  where w.id = n.id and (w.excluded, w.open_parts) is distinct from (n.excluded, n.parts);
end;

comment on function service_private.exclude_columns() is
  'Looks up the columns, and the parts of columns, that webhooks do not send: those that a collection excludes, and those that the '
  'settings name.';

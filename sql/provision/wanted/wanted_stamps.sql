create or replace function service_private.wanted_stamps(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables(),
  wanted_columns service_private.wanted_column[] default service_private.wanted_columns())
  returns table (schema_name text, table_name text, relation oid, function_for text, body text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select t.schema_name, t.table_name, t.oid, service_private.short_name(coalesce(t.collection, t.table_name || '__link'), '__stamp'),
    service_private.stamp_body(
      array_agg(c.name order by c."position", c.name),
      array_agg(regexp_replace(c.type, '\(\d+\)', '') order by c."position", c.name),
      array_agg(c.stamp order by c."position", c.name),
      t.soft_delete)
  from unnest(wanted_columns) c
  join unnest(wanted_tables) t on t.schema_name = c.schema_name and t.table_name = c.table_name
  where c.stamp is not null
  group by t.schema_name, t.table_name, t.oid, t.collection, t.soft_delete;
end $$;

comment on function service_private.wanted_stamps(service_private.wanted_table[], service_private.wanted_column[]) is
  'The trigger functions that the stamped columns (autoValue) of collection files and junctions ask for, one a table: its name in '
  'schema service_private and its PL/pgSQL.';

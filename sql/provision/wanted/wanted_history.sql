create or replace function service_private.wanted_history(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (schema_name text, table_name text, relation oid, function_for text, body text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select t.schema_name, t.table_name, t.oid, service_private.short_name(t.collection, '__history'),
    service_private.history_body(c, t.soft_delete)
  from unnest(wanted_tables) t
  join service.collections c on c.slug = t.collection
  where c.definition -> 'history' = 'true';
end $$;

comment on function service_private.wanted_history(service_private.wanted_table[]) is
  'The trigger functions that the collections with history ask for, one a table: its name in schema service_private and its PL/pgSQL.';

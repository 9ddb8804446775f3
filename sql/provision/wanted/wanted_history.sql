create or replace function service.wanted_history(
  wanted_tables service.wanted_table[] default service.wanted_tables())
  returns table (schema_name text, table_name text, relation oid, function_for text, body text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select t.schema_name, t.table_name, t.oid, service.short_name(t.collection, '__history'), service.history_body(c, t.soft_delete)
  from unnest(wanted_tables) t
  join service.collections c on c.slug = t.collection
  where c.definition -> 'history' = 'true';
end $$;

comment on function service.wanted_history(service.wanted_table[]) is
  'The trigger functions that the collections with history ask for, one a table: its name in schema service and its PL/pgSQL.';

revoke all on function service.wanted_history(service.wanted_table[]) from public;

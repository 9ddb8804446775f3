create or replace function service.wanted_releases(
  wanted_tables service.wanted_table[] default service.wanted_tables())
  returns table (schema_name text, table_name text, relation oid, function_for text, body text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $fn$
#variable_conflict use_column
begin
  return query
  select t.schema_name, t.table_name, t.oid, service.short_name(t.collection, '__files'), E'\n' || service.fill($$
      begin
        if tg_op = 'DELETE' then
          <deleted>
        else
          <updated>
        end if;
        return null;
      end
    $$,
    'deleted', string_agg(format('perform service.release_files(%L, %L, %s, ''{}'');', p.source, p.bucket, service.named_files(p, 'old')),
      E'\n' order by p.place),
    'updated', string_agg(service.fill($$
        if old."<column>" is distinct from new."<column>" then
          perform service.release_files(<source>, <bucket>, <was>, <became>);
        end if;
      $$,
      'column', replace(p.column_name, '"', '""'), 'source', quote_literal(p.source), 'bucket', quote_literal(p.bucket),
      'was', service.named_files(p, 'old'), 'became', service.named_files(p, 'new')), E'\n' order by p.place)) || E'\n'
  from service.storage_properties p
  join unnest(wanted_tables) t on t.collection = p.collection
  where p.cleanup
  group by t.schema_name, t.table_name, t.oid, t.collection;
end $fn$;

comment on function service.wanted_releases(service.wanted_table[]) is
  'The trigger functions that let go of the files of rows that are gone or name others, one a table: its name in schema service and its '
  'PL/pgSQL.';

revoke all on function service.wanted_releases(service.wanted_table[]) from public;

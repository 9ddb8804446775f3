create or replace function service.row_version(collection text, alias text) returns text
  language sql stable
begin atomic
  select case when r.relkind = 'v' then '' else format(', %s.xmin as %I', alias, service.unused_prefix(row_version.collection) || 'xmin') end
  from service.collections c
  join pg_class r on r.oid = to_regclass(format('%I.%I', c.schema_name, c.table_name))
  where c.slug = row_version.collection;
end;

comment on function service.row_version(text, text) is 'SQL text (beginning with a comma) of what rows carry beside their columns so that service.row_tag can tell their version; '''' for views, which have none.';

revoke all on function service.row_version(text, text) from public;

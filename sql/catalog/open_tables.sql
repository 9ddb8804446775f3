create or replace function service.open_tables(schema text) returns setof text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select s.slug
  from service.introspected_tables(open_tables.schema, 'serve') s
  join pg_class c on c.oid = s.oid
  where s.reason is null and s.kind <> 'v' and not c.relrowsecurity
  order by s.slug collate "C";
end;

comment on function service.open_tables(text) is
  'What SERVICE_UNPROTECTED_TABLES=serve serves without row security: every row of it is for every caller.';

revoke all on function service.open_tables(text) from public;

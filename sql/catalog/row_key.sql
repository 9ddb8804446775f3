create or replace function service.row_key(relation oid) returns smallint[]
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return case
    when obj_description(relation, 'pg_class') ~ '@key [^\n]' then service.commented_key(relation)
    when (select c.relkind from pg_class c where c.oid = relation) = 'v' then service.view_key(relation)
    else (select k.key from service.table_keys(array[relation]) k)
  end;
end $$;

comment on function service.row_key(oid) is
  'The columns that tell the rows of a table or view apart, as attribute numbers: those that its comment names, '
  'else those that are proved to; null when neither is so.';

revoke all on function service.row_key(oid) from public;

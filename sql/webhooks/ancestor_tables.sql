create or replace function service_private.ancestor_tables(relation oid) returns oid[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with recursive ancestor (relation) as (
    select i.inhparent from pg_inherits i where i.inhrelid = ancestor_tables.relation
    union
    select i.inhparent from ancestor a join pg_inherits i on i.inhrelid = a.relation
  )
  select array(select a.relation from ancestor a);
end;

comment on function service_private.ancestor_tables(oid) is 'The tables that rows of a table are rows of too: it inherits from them.';

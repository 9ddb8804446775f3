create or replace function service.is_sortable(sql_type text) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select from service.operand_types(is_sortable.sql_type) t (type)
    join pg_catalog.pg_opclass c on c.opcintype = t.type and c.opcdefault
    join pg_catalog.pg_am m on m.oid = c.opcmethod and m.amname = 'btree');
end $$;

comment on function service.is_sortable(text) is 'Whether PostgreSQL has an order for a type: not so for xml, json or the geometric types.';

revoke all on function service.is_sortable(text) from public;

create or replace function service_private.table_name(collection text) returns text
  language plpgsql stable as $$
begin
  return (select format('%I.%I', c.schema_name, c.table_name) from service.collections c where c.slug = table_name.collection);
end $$;

comment on function service_private.table_name(text) is 'SQL text of the table that a collection is, with its schema.';

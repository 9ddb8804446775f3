create or replace function service_private.key_column(collection text) returns text
  language plpgsql stable as $$
begin
  return (
    select p.column_name
    from service.properties p
    where p.collection = key_column.collection and p.attributes ? 'isId'
    order by p."position"
    limit 1);
end $$;

comment on function service_private.key_column(text) is
  'The column of the primary key of a collection of files; null when it has none yet.';

-- Columns that no caller may read are not recorded: a secret would lie in two tables, and outlive its change by 90
-- days. The key and the mark of a soft delete are needed, for any reader.
create or replace function service_private.history_columns(served service.collections) returns setof service.properties
  language plpgsql stable as $$
begin
  return query
    select p.*
    from service.properties p
    where p.collection = served.slug
      and (not p.excluded or p.name = any (served.key) or p.column_name = service_private.deletion_stamp(served.slug));
end $$;

comment on function service_private.history_columns(service.collections) is 'The properties whose values entries of history keep.';

create or replace function service_private.file_row(collection text, id text, changes boolean) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  found service.storage_rows := (
    select r from service.storage_rows r join service.catalog c on c.version = r.version where r.collection = file_row.collection);
begin
  if found.collection is null then
    found := service_private.file_statements(collection);
  end if;
  return case when service_private.is_readable_id(id, found.key_types) then case when changes then found.changed else found.seen end end;
end $$;

comment on function service_private.file_row(text, text, boolean) is
  'SQL text that answers true where the caller sees the row with this id ($1), or with changes where the caller may change it; null where '
  'no caller can.';

grant execute on function service_private.file_row(text, text, boolean) to service_user;

-- A column of type json may hold \u0000, half a surrogate pair, or a number that no numeric holds. Such a value is sent as its text,
-- because no webhook makes a write fail.
create or replace function service_private.row_document(stored anyelement, relation oid) returns jsonb
  language plpgsql stable as $$
declare
  name text;
  part jsonb;
  document jsonb := '{}';
begin
  for name in
    select a.attname from pg_attribute a where a.attrelid = row_document.relation and a.attnum > 0 and not a.attisdropped
  loop
    begin
      execute format('select jsonb_build_object(%L, ($1).%I)', name, name) into part using stored;
    exception when data_exception then
      execute format('select jsonb_build_object(%L, ($1).%I::text)', name, name) into part using stored;
    end;
    document := document || part;
  end loop;
  return document;
end $$;

comment on function service_private.row_document(anyelement, oid) is
  'A row of a table as jsonb, where to_jsonb(row) fails for a value of type json.';

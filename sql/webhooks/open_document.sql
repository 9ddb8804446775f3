-- The expressions are those of service_private.exclude_columns.
create or replace function service_private.open_document(document jsonb, parts jsonb) returns jsonb
  language plpgsql stable as $$
declare
  name text;
  expression text;
  part jsonb;
begin
  for name, expression in select p.key, p.value from jsonb_each_text(parts) p where document ? p.key loop
    execute 'select ' || expression into part using document -> name;
    document := document || jsonb_build_object(name, part);
  end loop;
  return document;
end $$;

comment on function service_private.open_document(jsonb, jsonb) is
  'A row without the excluded parts of its columns. parts: for each such column SQL text of its value without them.';

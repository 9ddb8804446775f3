-- afterRead is called by the statement that reads, for each row as this caller reads it, wherever the row appears.
create or replace function service_private.shown_row(collection text, alias text) returns text
  language plpgsql stable as $$
begin
  -- Without the question service_private.callbacks, which looks through pg_proc, would be asked at every compilation.
  if not exists (select from service.collections s where s.slug = shown_row.collection and s.callbacks ? 'afterRead') then
    return alias || '.*';
  end if;
  return (
    select format('%I.%I(row_to_json(%s.*))', c.function_schema, c.function_name, alias)
    from service_private.callbacks() c where c.collection = shown_row.collection and c.hook = 'afterRead');
end $$;

comment on function service_private.shown_row(text, text) is
  'SQL text of a row as to_json and json_agg take it: the row itself, or the JSON object it becomes when it is passed through the '
  'collection''s afterRead callback where it has one.';

-- Without fields there is the key in every row, and nothing to collapse. Where all that is named is excluded, rows are all
-- the same: one, with nothing in it.
create or replace function service_private.page_columns(collection text, shape jsonb) returns text
  language plpgsql stable as $$
begin
  if not (shape ? 'distinct' and shape ? 'fields') then
    return 't.*';
  end if;
  return (
    select 'distinct ' || coalesce(string_agg(format('t.%I', p.column_name), ', ' order by p.position), 'true as "true"')
    from service_private.distinct_properties(collection, shape) p);
end $$;

comment on function service_private.page_columns(text, jsonb) is
  'SQL text of what a page selects: whole rows, or for a distinct read the named columns, each combination once. GW400 as '
  'service_private.distinct_properties.';

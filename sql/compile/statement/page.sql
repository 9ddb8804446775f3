create or replace function service_private.page(collection text, shape jsonb, conditions text[], roles text[]) returns text
  language plpgsql stable as $$
declare
  sorted text;
  branch text;
  pages text[] := '{}';
begin
  if shape ? 'vector' then
    return service_private.vector_page(collection, shape, conditions, roles);
  end if;
  sorted := service_private.page_order(collection, shape, roles);
  if not shape ? 'after' then
    return service_private.page_rows(collection, shape, conditions, sorted);
  end if;
  foreach branch in array service_private.cursor_branches(collection, 't', shape, roles) loop
    pages := pages || service_private.fill(E'(\n  <rows>\n)', 'rows',
      service_private.page_rows(collection, shape, conditions || branch, sorted));
  end loop;
  return array_to_string(pages, E'\nunion all\n');
end $$;

comment on function service_private.page(text, jsonb, text[], text[]) is
  'SQL text of the rows of one page under these conditions, whole rows in order, one more than the limit at least.';

create or replace function service.page(collection text, shape jsonb, conditions text[], roles text[]) returns text
  language plpgsql stable as $$
declare
  sorted text;
  branch text;
  pages text[] := '{}';
begin
  if shape ? 'vector' then
    return service.vector_page(collection, shape, conditions, roles);
  end if;
  sorted := service.page_order(collection, shape, roles);
  if not shape ? 'after' then
    return service.page_rows(collection, shape, conditions, sorted);
  end if;
  foreach branch in array service.cursor_branches(collection, 't', shape, roles) loop
    pages := pages || service.fill(E'(\n  <rows>\n)', 'rows', service.page_rows(collection, shape, conditions || branch, sorted));
  end loop;
  return array_to_string(pages, E'\nunion all\n');
end $$;

comment on function service.page(text, jsonb, text[], text[]) is
  'SQL text of the rows of one page under these conditions, whole rows in order, one more than the limit at least.';

revoke all on function service.page(text, jsonb, text[], text[]) from public;

create or replace function service_private.page_source(rows text, further_ctes text[], out ctes text, out source text)
  language plpgsql immutable as $$
begin
  if further_ctes = '{}' then
    source := service_private.fill(E'(\n  <rows>\n)', 'rows', rows);
  else
    ctes := array_to_string(service_private.fill(E'page as materialized (\n  <rows>\n)', 'rows', rows) || further_ctes, E',\n');
    source := 'page';
  end if;
end $$;

comment on function service_private.page_source(text, text[]) is
  'How the rows of an answer stand in its FROM: in place, or where included relations read them as well (further_ctes) as a CTE '
  'page. SQL text after WITH, null when there is none, and in FROM.';

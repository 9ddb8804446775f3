create or replace function service_private.step_columns(collection text, named jsonb) returns text[]
  language sql stable
begin atomic
  select array_agg(coalesce(service_private.named_column(step_columns.collection, c.name), c.name) order by e.n)
  from jsonb_array_elements_text(case jsonb_typeof(named) when 'array' then named else jsonb_build_array(named) end)
    with ordinality e (name, n)
  cross join lateral (select substring(e.name from '[^.]*$') as name offset 0) c;
end;

comment on function service_private.step_columns(text, jsonb) is
  'The columns that a join names: posts.author_id, author_id or, of a collection, the name of the property.';

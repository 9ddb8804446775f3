create or replace function service_private.slug_problems(project jsonb) returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with file as (
    select f.file #>> '{definition,slug}' as slug, f.file ->> 'file' as name,
      first_value(f.file ->> 'file') over (partition by f.file #>> '{definition,slug}' order by f.n) as first, f.n
    from jsonb_array_elements(project -> 'collections') with ordinality f (file, n)
  )
  select f.slug || '.slug', format('stands in %s and in %s', f.first, f.name)
  from (select f.*, row_number() over (partition by f.slug order by f.n) as rank from file f) f
  where f.rank > 1;
end $$;

comment on function service_private.slug_problems(jsonb) is 'The files of a project whose slug another has too.';

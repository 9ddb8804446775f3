create or replace function service_private.nested_path(request jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select case when count(*) > 2 then jsonb_agg(case p.n % 2 when 0 then to_jsonb(p.n - 1) else to_jsonb(p.name) end order by p.n) end
  from jsonb_array_elements_text(request -> 'path') with ordinality p (name, n)
  where p.n < jsonb_array_length(request -> 'path') + case request ->> 'op' when 'create' then 1 else 0 end;
end;

comment on function service_private.nested_path(jsonb) is
  'The path of a nested write without its values, [slug, 1, relation, …], each id by its place in the request''s path; the id of the row '
  'itself is no part of it. Null for a path without relations.';

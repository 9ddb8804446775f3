create or replace function service_private.written_pivot(relation service.relations)
  returns table (name text, column_name text, expression text, read_as text)
  language plpgsql stable as $$
begin
  return query
    select p.name, p.column_name, e.expression, e.read_as
    from service_private.pivot_properties(relation) p
    cross join lateral service_private.stored_expression(p.name, p, null) e
    where not p.attributes ? 'autoValue';
end $$;

comment on function service_private.written_pivot(service.relations) is
  'The columns of a junction that clients write: SQL text of the value, of a record r, and the type that it is read as '
  '(service_private.stored_expression). Stamps are not among them: a trigger puts them there.';

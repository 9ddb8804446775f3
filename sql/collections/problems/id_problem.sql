create or replace function service_private.id_problem(collection text, field text) returns text
  language plpgsql stable as $$
declare
  type text;
begin
  if service_private.is_broken(collection, field) then
    return null;
  end if;
  select p.type into type
  from service.properties p
  where p.collection = id_problem.collection and p.column_name = service_private.property_column(id_problem.collection, field);
  return case
    when not found then format('%s has no property %s with a column', collection, field)
    when type not in ('string', 'number') then format('%s is of type %s; a string, a number or a belongsTo holds an id', field, type)
  end;
end $$;

comment on function service_private.id_problem(text, text) is
  'Why a property cannot hold the id of a tenant or a person; null when it can.';

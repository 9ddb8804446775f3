-- Rows have _pivot, _score, _distance and _matches beside their properties, addresses have _batch, and a folder _defaults.json: names of
-- later releases begin so too.
create or replace function service_private.reserved_problem(name text) returns text
  language sql stable parallel safe
  return case
    when name in ('_pivot', '_score', '_distance', '_matches') then name || ' has a meaning of its own in rows'
    when starts_with(name, '_') then format('%s begins with _, as only names of the service do', name)
  end;

comment on function service_private.reserved_problem(text) is
  'Why a collection, a property or a relation cannot have a name that is kept for the service; null when it can.';

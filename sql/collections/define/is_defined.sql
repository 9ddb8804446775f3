create or replace function service.is_defined(project jsonb) returns boolean
  language sql stable
begin atomic
  select exists (
    select from service.catalog c
    -- In a subselect, or the planner asks as well, for its estimates.
    where c.defined_from = (select concat_ws(' ', service.project_origin(project), service.stored_fingerprint())));
end;

comment on function service.is_defined(jsonb) is
  'Whether the catalog came from this project (service.define_collections) and from the functions as they are, and nobody changed it '
  'since.';

revoke all on function service.is_defined(jsonb) from public;

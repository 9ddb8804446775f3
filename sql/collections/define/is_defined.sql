create or replace function service_private.is_defined(project jsonb) returns boolean
  language sql stable
begin atomic
  select exists (
    select from service.catalog c
    -- In a subselect, or the planner asks as well, for its estimates.
    where c.defined_from = (select concat_ws(' ', service_private.project_origin(project), service_private.stored_fingerprint())));
end;

comment on function service_private.is_defined(jsonb) is
  'Whether the catalog came from this project (service_private.define_collections) and from the functions as they are, and is unchanged '
  'since.';

create or replace function service_private.restricted_parts(attributes jsonb) returns jsonb
  language plpgsql immutable parallel safe as $$
begin
  -- Few values have parts, and each of a project's is asked.
  if not attributes ?| '{properties,of,oneOf,readRoles,writeRoles}' then
    return null;
  end if;
  return (
    with recursive part (name, attributes) as (
      select null::text, restricted_parts.attributes
      union all
      select c.name, c.attributes
      from part p
      cross join lateral (
        select e.key, e.value from jsonb_each(p.attributes -> 'properties') e
        union all
        select null, p.attributes -> 'of' where p.attributes ? 'of'
        union all
        select p.attributes #>> '{oneOf,valueField}', e.value from jsonb_each(p.attributes #> '{oneOf,properties}') e
      ) c (name, attributes)
    )
    select jsonb_build_object(
      'roles', coalesce((
        select jsonb_agg(distinct r.role)
        from part p
        cross join jsonb_array_elements_text(
          coalesce(p.attributes -> 'readRoles', '[]') || coalesce(p.attributes -> 'writeRoles', '[]')) r (role)), '[]'),
      'names', (select jsonb_agg(distinct p.name) from part p where p.name is not null))
    where exists (select from part p where p.attributes ?| '{readRoles,writeRoles}'));
end $$;

comment on function service_private.restricted_parts(jsonb) is
  'For a value with attributes (service_private.value_attributes) that restrict some part: {roles: all that are named, names: those of all '
  'parts, which a path to one of them is made of}. Null when every role may read and write every part.';

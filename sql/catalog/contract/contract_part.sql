-- Only what leads to further definitions is followed: a default value, or a field, may have any name.
create or replace function service_private.contract_part(definition jsonb, slugs text[]) returns json
  language plpgsql immutable parallel safe as $$
declare
  names constant text[] := service_private.texts(definition -> 'propertiesOrder');
begin
  return (
    select json_object_agg(k.key, k.shown)
    from (
      select d.key, case
          when d.key = 'properties' then (
            select json_object_agg(p.name,
              -- Most properties are plain, and a call for each would take most of the time.
              case when p.declared ?| '{admin,of,oneOf,properties,relation}' then service_private.contract_part(p.declared, slugs)
                else p.declared::json end
              order by array_position(names, p.name), p.name)
            from jsonb_each(d.value) p (name, declared)
            where not p.declared ? 'relation' or service_private.target_slug(p.declared -> 'relation') = any (slugs))
          when d.key = 'relations' then (
            select json_agg(service_private.contract_part(r.declared, slugs) order by r.n)
            from jsonb_array_elements(d.value) with ordinality r (declared, n)
            where service_private.target_slug(r.declared) = any (slugs))
          when d.key in ('of', 'oneOf', 'relation', 'through') then service_private.contract_part(d.value, slugs)
          when d.key = 'target' then json_build_object('__collectionRef', service_private.target_slug(definition))
          else d.value::json
        end as shown
      from jsonb_each(definition) d
      where d.key not in (
        'admin', 'securityRules', 'securityRulesFrom', 'disableDefaultPolicies', 'callbacks', 'broken', 'propertiesOrder', '$schema')) k
    where k.shown is not null);
end $$;

comment on function service_private.contract_part(jsonb, text[]) is
  'A definition as the contract shows it (service.contract), and all that is defined within: of a collection, a property, a relation or '
  'a junction. Properties stand in their order; relations lead to one of the slugs. Null for what has no content left.';

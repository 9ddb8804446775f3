-- A file may say more of these properties (a label, a column, who reads it), but not less. One of another type is told of as it is.
create or replace function service_private.with_account(definition jsonb) returns jsonb
  language plpgsql immutable parallel safe as $$
declare
  properties constant jsonb := definition -> 'properties';
  names constant jsonb := coalesce(definition -> 'propertiesOrder', '[]');
begin
  if not service_private.holds_accounts(definition) then
    return definition - 'auth';
  end if;
  return with_account.definition || (
    select jsonb_build_object('auth', true, 'properties', properties || jsonb_object_agg(f.name, m.merged),
      'propertiesOrder', names || coalesce(jsonb_agg(f.name order by f.n) filter (where not names ? f.name), '[]'))
    from service_private.account_fields() f
    cross join lateral (
      select case when service_private.property_kind(properties -> f.name) <> service_private.property_kind(f.property)
        then properties -> f.name
        else f.property || coalesce(properties -> f.name, '{}') || (f.property - '{type,of}'::text[])
        || coalesce((
          select jsonb_object_agg(k.key, coalesce(properties #> array[f.name, k.key], '{}') || (f.property -> k.key))
          from unnest('{validation,access}'::text[]) k (key)
          where f.property ? k.key), '{}') end as merged) m);
end $$;

comment on function service_private.with_account(jsonb) is
  'The definition of an auth collection (one with a key) with the properties of service_private.account_fields(); any other as it is.';

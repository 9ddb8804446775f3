create or replace function service_private.enum_values(definition jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select jsonb_agg(case when service_private.property_kind(definition) = 'number' and service_private.fits_type(e.id, 'number', null)
    then to_jsonb((e.id #>> '{}')::numeric) else e.id end order by e.n)
  from unnest(service_private.enum_ids(definition)) with ordinality e (id, n);
end;

comment on function service_private.enum_values(jsonb) is
  'The values that a declared property may have, in its type: array of numbers or texts. Null when it says none.';

create or replace function service_private.default_problem(definition jsonb, sql_type text) returns text
  language plpgsql stable as $$
declare
  kind constant text := service_private.property_kind(definition);
  value constant jsonb := definition -> 'defaultValue';
begin
  return case
    when kind in ('vector', 'binary') then format('a %s has no default', kind)
    when not coalesce(service_private.is_default(value, kind, sql_type), false)
      then format('is not a %s%s', kind, case when sql_type = 'uuid' then ' that is a uuid' else '' end)
    when definition ? 'enum' and not coalesce(service_private.enum_values(definition) @> jsonb_build_array(value), false)
      then 'is none of the values of enum'
  end;
end $$;

comment on function service_private.default_problem(jsonb, text) is
  'Why a property, or a part of a map, cannot have the default that it declares; null when it can. A part has no column: its type is '
  'integer or numeric.';

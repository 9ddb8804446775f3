-- An enum type may not exist yet, so its labels are read from the catalog. now and similar values would be the moment
-- at which the policy was created.
create or replace function service_private.literal_fault(value jsonb, type text) returns text
  language plpgsql stable as $$
declare
  labels constant jsonb := (
    select p.attributes #> '{column,enumType,labels}' from service.properties p
    where p.sql_type = literal_fault.type and p.attributes #> '{column,enumType,labels}' is not null limit 1);
  written constant text := case jsonb_typeof(value)
    when 'array' then array(select jsonb_array_elements_text(value))::text else value #>> '{}' end;
begin
  if labels is not null and jsonb_typeof(labels) = 'array' then
    return case when not labels ? written then
      'must be one of ' || (select string_agg(l.label, ', ') from jsonb_array_elements_text(labels) l (label)) end;
  elsif (jsonb_typeof(value) = 'array') <> (type like '%[]') then
    return 'a list is compared with a list, one value with one value';
  elsif service_private.type_family(type) = 'date' and written ~* '^[[:space:]]*(now|today|tomorrow|yesterday)[[:>:]]' then
    return 'would be the moment at which the policy is made; say it in raw';
  elsif to_regtype(type) is null then
    return null;
  end if;
  execute format('select %L::%s', written, to_regtype(type));
  return null;
exception when data_exception then
  return sqlerrm;
end $$;

comment on function service_private.literal_fault(jsonb, text) is
  'Why a literal of a condition (a JSON scalar, or a list of them) is no value of a column''s type; null when it is one.';

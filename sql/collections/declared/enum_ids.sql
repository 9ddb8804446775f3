-- In order of declaration; of an object of labels, whose order jsonb does not keep, in that of the ids.
create or replace function service_private.enum_ids(definition jsonb) returns jsonb[]
  language plpgsql immutable parallel safe as $$
begin
  return case jsonb_typeof(definition -> 'enum')
    when 'array' then array(
      select case jsonb_typeof(e.item) when 'object' then e.item -> 'id' else e.item end
      from jsonb_array_elements(definition -> 'enum') with ordinality e (item, n)
      order by e.n)
    when 'object' then array(select to_jsonb(k) from jsonb_object_keys(definition -> 'enum') k)
  end;
end $$;

comment on function service_private.enum_ids(jsonb) is 'The values that a declared property may have; null when it says none.';

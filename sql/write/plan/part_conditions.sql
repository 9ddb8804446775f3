create or replace function service_private.part_conditions(sent text, type text, attributes jsonb) returns text[]
  language plpgsql stable as $$
declare
  parts text;
begin
  if type = 'array' and attributes ? 'of' then
    return array[service_private.fill($sql$
      not exists (
        select from jsonb_array_elements(<list>) i (item)
        where (<condition>) is not true)
      $sql$,
      'list', sent,
      'condition', service_private.value_condition(
        'i.item', '(i.item #>> ''{}'')', attributes -> 'of' ->> 'type', null, attributes -> 'of', true))];
  elsif type = 'array' and attributes ? 'oneOf' then
    return array[service_private.fill($sql$
      not exists (
        select from jsonb_array_elements(<list>) i (item)
        where (case i.item ->> <type>
          <blocks>
          else i.item = 'null'
        end) is not true)
      $sql$,
      'list', sent,
      'type', quote_literal(attributes #>> '{oneOf,typeField}'),
      'blocks', (
        select string_agg(format('when %L then %s', t.name, service_private.value_condition('i.item', '(i.item #>> ''{}'')', 'map', null,
          service_private.block_attributes(attributes -> 'oneOf', t.name), true)), E'\n' order by t.name)
        from jsonb_object_keys(attributes #> '{oneOf,properties}') t (name)))];
  elsif type <> 'map' or not attributes ? 'properties' then
    return '{}';
  end if;
  parts := (
    select string_agg(
      format(case when p.value -> 'validation' -> 'required' = 'true' then '%1$s <> ''null'' and %2$s' else '(%1$s is null or %2$s)' end,
        s.part, service_private.value_condition(s.part, s.part_text, p.value ->> 'type', null, p.value, true)),
      E'\nand ' order by p.key)
    from jsonb_each(attributes -> 'properties') p
    cross join lateral (select format('(%s -> %L)', sent, p.key), format('(%s ->> %L)', sent, p.key)) s (part, part_text));
  return array[case when parts is null or attributes -> 'validation' -> 'required' = 'true' then coalesce(parts, 'true')
    else format('(%s = ''{}'' or %s)', sent, parts) end];
end $$;

comment on function service_private.part_conditions(text, text, jsonb) is
  'SQL text, as conditions, of what the items of an array and the parts of a map must keep. Parameters as of '
  'service_private.value_condition.';

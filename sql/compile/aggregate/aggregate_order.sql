-- By the values themselves, not by how they stand in JSON: as text, 10 would come before 9.
create or replace function service_private.aggregate_order(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  key jsonb;
  sorted text;
  names text[];
  expressions text[];
  terms text[] := '{}';
begin
  select array_agg(v.name order by v.step, v.n), array_agg(v.expression order by v.step, v.n) into names, expressions
  from (
    select 1 as step, g.n, p.name, format('t.%I', p.column_name) as expression
    from jsonb_array_elements_text(shape -> 'groupBy') with ordinality g (field, n), service_private.find_property(collection, g.field) p
    union all
    select 2, a.n, service_private.aggregate_alias(a.value), (service_private.aggregate_value(collection, a.value, roles)).expression
    from jsonb_array_elements(shape -> 'select') with ordinality a (value, n)) v;
  for key in select * from jsonb_array_elements(shape -> 'orderBy') loop
    -- A group answers to its column's own name here, as it does in groupBy.
    sorted := expressions[coalesce(array_position(names, key ->> 'field'),
      array_position(names, (service_private.find_property(collection, key ->> 'field')).name))];
    if sorted is null then
      perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD',
        format('An aggregate is sorted by what it returns: %s.', array_to_string(names, ', ')),
        jsonb_build_object('field', key ->> 'field', 'collection', collection, 'validFields', names));
    end if;
    terms := terms || format('%s %s%s', sorted, key ->> 'direction', coalesce(' nulls ' || (key ->> 'nulls'), ''));
  end loop;
  return array_to_string(terms || expressions[:jsonb_array_length(shape -> 'groupBy')], ', ');
end $$;

comment on function service_private.aggregate_order(text, jsonb, text[]) is
  'SQL text after ORDER BY of a grouped aggregate: its keys among the group fields and aggregate names, then the groups ascending. '
  'GW400 UNKNOWN_ORDER_BY_FIELD.';

create or replace function service.aggregate_order(collection text, shape jsonb) returns text
  language plpgsql stable as $$
declare
  key jsonb;
  position integer;
  names text[] := array(
    select (service.find_property(collection, g.field)).name from jsonb_array_elements_text(shape -> 'groupBy') with ordinality g (field, n)
    union all
    select service.aggregate_alias(a.value) from jsonb_array_elements(shape -> 'select') with ordinality a (value, n));
  terms text[] := '{}';
begin
  for key in select * from jsonb_array_elements(shape -> 'orderBy') loop
    position := array_position(names, key ->> 'field');
    if position is null then
      perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('An aggregate is sorted by what it returns: %s.', array_to_string(names, ', ')),
        jsonb_build_object('field', key ->> 'field', 'collection', collection, 'validFields', names));
    end if;
    terms := terms || format('%s %s%s', position, key ->> 'direction', coalesce(' nulls ' || (key ->> 'nulls'), ''));
  end loop;
  return array_to_string(terms || array(select g.n::text from generate_series(1, jsonb_array_length(shape -> 'groupBy')) g (n)), ', ');
end $$;

comment on function service.aggregate_order(text, jsonb) is
  'SQL text after ORDER BY of a grouped aggregate: its keys among the group fields and aggregate names, then the groups ascending. GW400 UNKNOWN_ORDER_BY_FIELD.';

revoke all on function service.aggregate_order(text, jsonb) from public;

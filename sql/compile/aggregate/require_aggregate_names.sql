create or replace function service_private.require_aggregate_names(collection text, shape jsonb) returns void
  language plpgsql stable as $$
declare
  twice text := (
    select v.name from (
      select p.name from jsonb_array_elements_text(shape -> 'groupBy') g (field), service_private.find_property(collection, g.field) p
      union all
      select service_private.aggregate_alias(a.value) from jsonb_array_elements(shape -> 'select') a (value)) v
    group by v.name having count(*) > 1 limit 1);
begin
  if twice is not null then
    perform service.fail(400, 'INVALID_AGGREGATE_SELECT',
      format('Two of the values would be called %s in the answer; ask for one of them.', twice),
      jsonb_build_object('field', twice, 'collection', collection));
  end if;
end $$;

comment on function service_private.require_aggregate_names(text, jsonb) is
  'Nothing, or GW400 INVALID_AGGREGATE_SELECT {field, collection} when two of the groups and aggregates of a request have one name '
  'in its answer: a group by a column count beside count().';

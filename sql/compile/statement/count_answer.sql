create or replace function service_private.count_answer(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  conditions text[] := service_private.where_conditions(collection, shape, roles);
begin
  if shape ? 'distinct' and shape ? 'fields' then
    perform service_private.shown_columns(collection, 't', shape, roles);
  end if;
  return service_private.fill($sql$
      select concat('{"count":', c.count, '}') as body
      from (
        <count>
      ) c
      where ctx.ok
      offset 0
    $sql$,
    'count', service_private.row_count(collection, shape, conditions));
end $$;

comment on function service_private.count_answer(text, jsonb, text[]) is
  'SQL text of the answer to a count behind the gate (service.compile): body = {"count":128}; of a distinct read with fields, the '
  'combinations. GW400 as service_private.shown_columns and service_private.distinct_properties.';

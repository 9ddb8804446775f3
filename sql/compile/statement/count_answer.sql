create or replace function service.count_answer(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  conditions text[] := service.narrowing(collection, shape, roles);
begin
  if shape ? 'distinct' and shape ? 'fields' then
    perform service.shown_columns(collection, 't', shape, roles);
  end if;
  return service.fill($sql$
      select concat('{"count":', c.count, '}') as body
      from (
        <count>
      ) c
      where ctx.ok
      offset 0
    $sql$,
    'count', service.row_count(collection, shape, conditions));
end $$;

comment on function service.count_answer(text, jsonb, text[]) is
  'SQL text of the answer to a count behind the gate (service.compile): body = {"count":128}; of a distinct read with fields, the '
  'combinations. GW400 as service.shown_columns and service.distinct_properties.';

revoke all on function service.count_answer(text, jsonb, text[]) from public;

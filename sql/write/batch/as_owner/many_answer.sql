create or replace function service_private.many_answer(request jsonb, answers text[]) returns json
  language sql stable security definer set search_path = pg_catalog, pg_temp
  return service_private.bounded_answer(case request ->> 'op'
      when 'delete' then format('{"meta":{"deleted":%s}}', cardinality(answers))
      else format('{"data":[%s],"meta":{"%s":%s}}', array_to_string(answers, ','),
        case request ->> 'op' when 'batch' then 'operations' else 'written' end, cardinality(answers)) end,
    service_private.bound(request, 'answer'))::json;

comment on function service_private.many_answer(jsonb, text[]) is 'The answer to a bulk write or a batch, of the answers to its writes.';

grant execute on function service_private.many_answer(jsonb, text[]) to service_user;

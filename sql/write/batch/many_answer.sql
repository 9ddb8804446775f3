create or replace function service.many_answer(request jsonb, answers text[]) returns json
  language sql stable security definer set search_path = pg_catalog, pg_temp
  return service.bounded_answer(case request ->> 'op'
      when 'delete' then format('{"meta":{"deleted":%s}}', cardinality(answers))
      else format('{"data":[%s],"meta":{"%s":%s}}', array_to_string(answers, ','),
        case request ->> 'op' when 'batch' then 'operations' else 'written' end, cardinality(answers)) end,
    service.bound(request, 'answer'))::json;

comment on function service.many_answer(jsonb, text[]) is 'The answer to a bulk write or a batch, of the answers to its writes.';

revoke all on function service.many_answer(jsonb, text[]) from public;
grant execute on function service.many_answer(jsonb, text[]) to service_user;

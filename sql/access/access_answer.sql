-- An error of a policy is the words of its SQL, which may hold values of rows that the asker may not see: its SQLSTATE says enough. So may
-- those of the request, but for the words that the answer has.
create or replace function service_private.access_answer(collection text, id text, operation text, claims jsonb, proposed jsonb)
  returns json
  language plpgsql volatile as $$
declare
  answer json;
begin
  with line as materialized (
    select a.* from service.access(collection, id, operation, claims, proposed) with ordinality a
  ), whole as (
    select l.message from line l where l.part = 'answer'
  )
  select json_build_object(
    'answer', w.message,
    'data', (
      select json_agg(json_build_object('part', l.part, 'name', l.name, 'origin', l.origin, 'effect', l.effect, 'clause', l.clause,
        'expression', l.expression, 'verdict', l.verdict, 'message', case when c.may_tell then l.message end) order by l.ordinality)
      from line l
      cross join lateral (
        select case l.part when 'policy' then false when 'request' then strpos(w.message, l.message) > 0 else true end) c (may_tell)
      where l.part <> 'answer'))
  into answer
  from whole w;
  return answer;
end $$;

comment on function service_private.access_answer(text, text, text, jsonb, jsonb) is
  'service.access as JSON, {answer: the line in words, data: the other lines}, without the words of errors that may hold values of rows. '
  'Errors as service.access.';

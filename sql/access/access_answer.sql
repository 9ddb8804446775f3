-- An error of a policy is the words of its SQL, which may hold values of rows that the asker may not see: its SQLSTATE says enough.
create or replace function service_private.access_answer(collection text, id text, operation text, claims jsonb, proposed jsonb)
  returns json
  language plpgsql volatile as $$
declare
  answer json;
begin
  with line as materialized (
    select a.* from service.access(collection, id, operation, claims, proposed) with ordinality a
  ), told as (
    select l.*, case l.part
        when 'policy' then l.verdict like 'error%'
        when 'request' then l.name ~ '^[0-9A-Z]{5}$' or exists (
          select from line p where p.part = 'policy' and p.verdict like 'error%' and p.message = l.message)
        else false end as is_secret
    from line l
  )
  select json_build_object(
    'answer', (
      select replace(t.message, coalesce(': ' || s.message, ''), '')
      from told t left join told s on s.part = 'request' and s.is_secret
      where t.part = 'answer'),
    'data', (
      select json_agg(json_build_object('part', t.part, 'name', t.name, 'origin', t.origin, 'effect', t.effect, 'clause', t.clause,
        'expression', t.expression, 'verdict', t.verdict, 'message', case when not t.is_secret then t.message end) order by t.ordinality)
      from told t where t.part <> 'answer'))
  into answer;
  return answer;
end $$;

comment on function service_private.access_answer(text, text, text, jsonb, jsonb) is
  'service.access as JSON, {answer: the line in words, data: the other lines}, without the words of errors that may hold values of rows. '
  'Errors as service.access.';

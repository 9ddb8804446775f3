-- A volatile function is called whatever the query asks of its rows: the planner would leave out one whose rows no answer needs.
create or replace function service_private.with_call(answer text, shape jsonb) returns text
  language plpgsql stable as $$
begin
  if shape ->> 'op' = 'value' or shape #> '{call,rows}' is not null
    or service_private.is_expanded((service_private.called_endpoint(shape)).oid) then
    return answer;
  end if;
  return service_private.fill($sql$
      with called as materialized (
        select t.*
        from <rows> t
        where ctx.ok
      )
      select a.*
      from (select count(*) as n from called) c
      left join lateral (
        <answer>
      ) a on c.n is not null
    $sql$,
    'rows', service_private.function_rows(shape), 'answer', answer);
end $$;

comment on function service_private.with_call(text, jsonb) is
  'SQL text of an answer that reads what a function returned, with the one call of it before.';

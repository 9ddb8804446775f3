-- The rows are read back after the call has ended: a statement does not see what a function that it calls has written.
create or replace function service_private.call_statement(shape jsonb) returns text
  language plpgsql stable as $$
begin
  return service_private.fill($sql$
      select service_private.kept_session(r.rows, ctx.search_path) as rows
      from (
        select coalesce(<parameters>) is not null as ok, current_setting('search_path') as search_path
        offset 0
      ) ctx
      <given?>
      cross join lateral (
        select array_agg(t)::text as rows
        from <call> t
        where ctx.ok
      ) r
    $sql$,
    -- The values of the statement that comes after it have their numbers.
    'parameters', (
      select string_agg(format('$%s::text', n), ', ')
      from generate_series(1, (shape #>> '{call,body}')::integer - case shape #> '{call,sent}' when '[]' then 0 else 1 end) n),
    'given', service_private.given_arguments(shape),
    'call', service_private.function_call(shape));
end $$;

comment on function service_private.call_statement(jsonb) is
  'SQL text of the call of a function that returns rows of a table, in a transaction that has entered: rows, an array of them as text. '
  'Its parameters are those of the statement that reads them, and the body.';

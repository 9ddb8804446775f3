create or replace function service_private.asked(count integer) returns text
  language sql immutable parallel safe
  return (
    select format('cross join lateral unnest(%s) with ordinality asked (%s, n)',
      string_agg(format('case when ctx.ok then $%s::text[] end', number), ', ' order by number),
      string_agg('v' || number, ', ' order by number))
    from generate_series(6, 5 + count) number);

comment on function service_private.asked(integer) is
  'SQL text that takes so many values of several requests apart, from $6 on, behind the gate: so the caller is entered once, before '
  'the first request. service_private.with_asked_values writes what reads them.';

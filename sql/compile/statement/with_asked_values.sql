create or replace function service_private.with_asked_values(answer text) returns text
  language sql immutable parallel safe
  return (
    select string_agg(case when token ~ '^\$[0-9]+$' and substr(token, 2)::integer > 5 then 'asked.v' || substr(token, 2) else token end,
      '' order by place)
    from regexp_matches(answer, '"[^"]*"|''[^'']*''|\$[0-9]+|[^"''$]+|\$', 'g') with ordinality found (tokens, place)
    cross join lateral unnest(tokens) token);

comment on function service_private.with_asked_values(text) is
  'SQL text of an answer that reads the values of its request, $6 and on, from a row of service_private.asked: asked.v6 and on. '
  'Quoted names and literals stay as they are.';

-- A function of one expression, which the planner puts in place: a call would take a microsecond of the 25 of a point read.
create or replace function service_private.bounded_answer(body text, most bigint) returns text
  language sql volatile parallel safe
  return case when octet_length(body) > most then service.fail(413, 'PAYLOAD_TOO_LARGE',
    format('The answer would be larger than %s bytes: ask for fewer rows, fields or related rows.', most),
    jsonb_build_object('limit', most)) else body end;

comment on function service_private.bounded_answer(text, bigint) is
  'The body of an answer, or GW413 PAYLOAD_TOO_LARGE {limit} for one of more bytes. Null stays null.';

grant execute on function service_private.bounded_answer(text, bigint) to service_user;

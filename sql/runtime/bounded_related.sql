-- A value, not a condition: of a condition the planner expects half the rows. In place of a call, as service_private.bounded_answer.
create or replace function service_private.bounded_related(n bigint, most bigint, collection text, relation text) returns bigint
  language sql volatile parallel safe
  return case when n > most then service.fail(400, 'INVALID_INCLUDE',
    format('A row of %s leads to more than %s rows by %s: say how many with limit.', collection, most, relation),
    jsonb_build_object('relation', relation, 'collection', collection, 'maximum', most))::bigint else n end;

comment on function service_private.bounded_related(bigint, bigint, text, text) is
  'The number of a row among those that a relation of one parent leads to, or GW400 INVALID_INCLUDE {relation, collection, maximum} '
  'when it is too high: an include without a limit is whole.';

grant execute on function service_private.bounded_related(bigint, bigint, text, text) to service_user;

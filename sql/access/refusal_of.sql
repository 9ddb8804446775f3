create or replace function service_private.refusal_of(state text, out status integer, out code text)
  language sql immutable parallel safe
begin atomic
  select case when state ~ '^GW[45]' then right(state, 3)::integer else r.status end, coalesce(r.code, 'PG_' || state)
  from (
    values (1, '^42501', 403, 'WRITE_DENIED'), (2, '^(23505|23P01)', 409, null), (3, '^2[23]', 400, null),
      (4, '^40(001|P01)', 409, 'CONFLICT'), (5, '^P0001', 400, 'CALLBACK_REJECTED'), (6, '^25006', 409, 'READ_ONLY_TRANSACTION'),
      (7, '^(08|53|55P03|57)', 503, 'SERVICE_UNAVAILABLE'), (8, '', 500, 'INTERNAL_ERROR')
  ) r (n, pattern, status, code)
  where state ~ r.pattern
  order by r.n
  limit 1;
end;

comment on function service_private.refusal_of(text) is
  'The status and the code of the API''s answer to a write that fails with this SQLSTATE (gateway/database/refusal.ts). An error of '
  'service.fail has a code of its own.';

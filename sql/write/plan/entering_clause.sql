-- CASE: PostgreSQL evaluates only the branch that is taken, and never before its condition.
create or replace function service_private.entering_clause(shape jsonb) returns text
  language sql immutable parallel safe
  return case when shape ? 'key'
    then 'case when service.enter($1, $2, $3, $4, $5) then service_private.claim_key($6::jsonb) end'
    else 'service.enter($1, $2, $3, $4, $5)' end;

comment on function service_private.entering_clause(jsonb) is
  'SQL text of the gate of a write that is one statement: the caller ($1 to $5) enters, and then of a request ($6) with an idempotency '
  'key has it (service_private.claim_key).';

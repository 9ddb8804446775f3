create or replace function service_private.give_back(id uuid, claim jsonb) returns boolean
  language sql volatile
begin atomic
  with due as (
    update service.jobs j set status = 'pending', attempts = j.attempts - 1, locked_at = null, locked_by = null,
      updated_at = clock_timestamp()
    where j.id = give_back.id and service_private.holds_job(j, claim)
    returning 1)
  select exists (select from due);
end;

comment on function service_private.give_back(uuid, jsonb) is
  'A worker that ends gives a job back before it is done: it is due again at once, as if it had not been begun. False where the claim '
  '{workerId, attempt} is gone.';

-- Null (no caller has entered) matches no policy: no rule lets "no one" in. nullif: a setting that was once set
-- locally reads '' afterwards, not null.
create or replace function service.uid() returns text
  language sql stable parallel safe
  return nullif(current_setting('app.uid', true), '');

comment on function service.uid() is
  'The caller''s user id; ''anonymous'' without a sign-in; null outside a request. In a policy write (select service.uid()): once '
  'a query, not once a row.';

grant execute on function service.uid() to service_user;

-- Example: create policy own on reviews for select to service_user using (customer_id::text = (select service.uid()));

-- Null (nobody entered) matches no policy: there is no rule that lets "no one" in.
-- nullif: a setting that was once set locally reads '' afterwards, not null.
create or replace function service.uid() returns text
  language sql stable parallel safe
  return nullif(current_setting('app.uid', true), '');

comment on function service.uid() is
  'The caller''s user id; ''anonymous'' without a sign-in; null outside a request. In a policy write (select service.uid()): once '
  'a query, not once a row.';

revoke all on function service.uid() from public;
grant execute on function service.uid() to service_user;

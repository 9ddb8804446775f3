create or replace function service.is_anonymous() returns boolean
  language sql stable parallel safe
  return coalesce(nullif(current_setting('app.is_anonymous', true), '')::boolean, false);

comment on function service.is_anonymous() is
  'True for a guest account (signed in, but without credentials of its own). False for everybody else and outside a request.';

grant execute on function service.is_anonymous() to service_user;

-- Example: select not service.is_anonymous() as has_account;

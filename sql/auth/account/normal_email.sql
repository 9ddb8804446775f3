create or replace function service.normal_email(email text) returns text
  language sql immutable parallel safe
  return lower(btrim(email));

comment on function service.normal_email(text) is 'An address as accounts have it: without blanks around it, in lower case.';

revoke all on function service.normal_email(text) from public;

create or replace function service.require_email(email text) returns text
  language plpgsql stable as $$
declare
  normal constant text := service.normal_email(email);
begin
  if normal is null then
    perform service.fail(400, 'INVALID_INPUT',
      'email: must be an email address, without white space and without characters that have another normal form.');
  end if;
  return normal;
end $$;

comment on function service.require_email(text) is 'service.normal_email. GW400 INVALID_INPUT for a text without a normal form.';

revoke all on function service.require_email(text) from public;

create or replace function service_private.require_email(email text) returns text
  language plpgsql stable as $$
declare
  normal constant text := service_private.normal_email(email);
begin
  if normal is null then
    perform service.fail(400, 'INVALID_INPUT',
      'email: must be an email address, without white space and without characters that have another normal form.');
  end if;
  return normal;
end $$;

comment on function service_private.require_email(text) is
  'service_private.normal_email. GW400 INVALID_INPUT for a text without a normal form.';

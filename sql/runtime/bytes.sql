-- The characters are looked at here: decode reads over line breaks, and takes other errors for the server's own.
create or replace function service_private.bytes(base64 text, field text) returns bytea
  language plpgsql immutable parallel safe as $$
begin
  if base64 ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' then
    return decode(base64, 'base64');
  elsif field is null then
    return null;
  end if;
  raise exception using
    errcode = 'GW400',
    message = format('The value for %s is no base64 text.', field),
    detail = json_build_object('field', field, 'dbCode', '22023')::text,
    hint = 'INVALID_FILTER_VALUE';
end $$;

comment on function service_private.bytes(text, text) is
  'The bytes of base64, as rows show them. Other text is null for an id (without a field); for a filter GW400 INVALID_FILTER_VALUE.';

grant execute on function service_private.bytes(text, text) to service_user;

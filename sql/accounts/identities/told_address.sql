create or replace function service_private.told_address(email text) returns text
  language sql immutable strict parallel safe
begin atomic
  select n.address from (select service_private.normal_email(email)) n (address) where not service_private.is_placeholder(n.address);
end;

comment on function service_private.told_address(text) is
  'An address as a provider tells it, in its normal form; null for a text that has none, and for one that stands for no address.';

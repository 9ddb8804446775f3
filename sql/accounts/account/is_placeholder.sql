create or replace function service_private.is_placeholder(address text) returns boolean
  language sql immutable strict parallel safe
  return address collate "C" ~ '@anonymous\.local$|@([^@]+\.)?placeholder\.[^@]+$';

comment on function service_private.is_placeholder(text) is
  'Whether an address in its normal form stands for none: that of a guest, or of a person whose provider told none. No mail reaches it. '
  'isDeliverable of the gateway knows the same ones.';

create or replace function service_private.create_guest(default_role text) returns text
  language sql volatile
begin atomic
  select service_private.create_account('anon_' || replace(gen_random_uuid()::text, '-', '') || '@anonymous.local', null, null,
    array_remove(array[default_role], null), is_guest => true);
end;

comment on function service_private.create_guest(text) is
  'Makes the account of a guest, who has no address and no password, and returns its uid.';

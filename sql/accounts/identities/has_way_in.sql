create or replace function service_private.has_way_in(account service.users) returns boolean
  language sql stable
begin atomic
  select account.password_hash is not null or exists (select from service.user_identities i where i.uid = account.uid);
end;

comment on function service_private.has_way_in(service.users) is
  'Whether a person can sign in to this account by what it has: a password or an identity. Mailed links do not count.';

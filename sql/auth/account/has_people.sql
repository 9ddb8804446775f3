create or replace function service.has_people() returns boolean
  language sql stable
begin atomic
  select exists (select from service.users u where not u.is_anonymous);
end;

comment on function service.has_people() is 'Whether there is an account of anybody but guests.';

revoke all on function service.has_people() from public;

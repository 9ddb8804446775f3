create or replace function service_private.has_people() returns boolean
  language sql stable
begin atomic
  select exists (select from service.users u where not u.is_anonymous);
end;

comment on function service_private.has_people() is 'Whether there is an account of anybody but guests.';

create or replace function service.file_user() returns jsonb
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select jsonb_strip_nulls(jsonb_build_object('uid', c.uid, 'email', u.email, 'roles', string_to_array(service.roles(), ',')))
  from (select service.uid() as uid) c
  left join service.users u on u.uid = c.uid
  where c.uid <> 'anonymous';
end;

comment on function service.file_user() is
  'The caller as functions about files are told of him: {uid, email, roles}; without an email where there is none; null for whoever has not '
  'signed in.';

revoke all on function service.file_user() from public;
grant execute on function service.file_user() to service_user;

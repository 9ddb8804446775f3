create or replace function service.can_restrict() returns boolean
  language sql stable
  return pg_has_role(current_user, 'service_user', 'member')
    and has_database_privilege(current_user, current_database(), 'temporary')
    and has_database_privilege('service_user', current_database(), 'temporary');

comment on function service.can_restrict() is 'Whether service.restricted_fault can run statements in this session.';

revoke all on function service.can_restrict() from public;

create or replace function service_private.can_restrict() returns boolean
  language sql stable
  return pg_has_role(current_user, 'service_user', 'member')
    and has_database_privilege(current_user, current_database(), 'temporary')
    and has_database_privilege('service_user', current_database(), 'temporary');

comment on function service_private.can_restrict() is 'Whether service_private.restricted_fault can run statements in this session.';

-- The first number is to be raised when service_private.policy_state comes to hash something else.
create or replace function service_private.seal_version() returns text
  language sql stable
  return '2.' || current_setting('server_version_num')::integer / 10000;

comment on function service_private.seal_version() is
  'The version that the seals of policies must have to be compared: of service_private.policy_state, and of the way this version of '
  'PostgreSQL writes expressions. Policies with another seal are made again.';

create or replace function service_private.policy_origin(policy oid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return substring(obj_description(policy, 'pg_policy') from '^Generated from (.*), which is the place to change it\. meaning:');
end $$;

comment on function service_private.policy_origin(oid) is
  'The rule that a policy was made from, as service_private.seal_policy has noted it; null for a policy of the project''s own.';

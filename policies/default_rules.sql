-- Anything that a collection's rules do not open is for admin alone: row security is on for every table, and rules
-- only widen this.
create or replace function service_private.default_rules() returns table (suffix text, rule jsonb)
  language sql immutable parallel safe
begin atomic
  values
    ('_default_admin', '{"roles": ["admin"]}'::jsonb);
end;

comment on function service_private.default_rules() is
  'The security rules that every table of a collection file gets unless it sets disableDefaultPolicies, with the ending of the '
  'names of their policies: <table><suffix>. Junctions get them too.';

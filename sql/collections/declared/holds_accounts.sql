create or replace function service_private.holds_accounts(definition jsonb) returns boolean
  language sql immutable parallel safe
  return coalesce(case jsonb_typeof(definition -> 'auth')
    when 'boolean' then (definition -> 'auth')::boolean
    when 'object' then coalesce((definition #> '{auth,enabled}')::boolean, true) end, false);

comment on function service_private.holds_accounts(jsonb) is 'Whether the rows of a collection of this definition are accounts ("auth").';

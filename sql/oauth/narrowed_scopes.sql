create or replace function service_private.narrowed_scopes(held text[], asked text[]) returns text[]
  language sql immutable parallel safe
begin atomic
  select case when asked is null then held else array(
    select a.scope
    from unnest(asked) with ordinality a (scope, place)
    where a.scope = any (held) or substring(a.scope from '^[^:]+:[^:]+') = any (held)
    order by a.place) end;
end;

comment on function service_private.narrowed_scopes(text[], text[]) is
  'Those of the asked scopes that the held ones cover, as data:read covers data:read:posts; null asks for all.';

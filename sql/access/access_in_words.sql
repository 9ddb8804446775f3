create or replace function service_private.access_in_words(
  operation text, limits jsonb, by_policies text, words text, is_deleted boolean, policies jsonb) returns text
  language sql immutable parallel safe
begin atomic
  select case
    when r.reason is null then 'allowed' || coalesce(' by ' || b.names, '') || coalesce(', without the fields ' || f.names, '')
    else case operation when 'read' then 'hidden: ' else 'refused: ' end || r.reason end
  from (select (
      select l ->> 'reason' from jsonb_array_elements(limits) l where l ->> 'verdict' = 'false' and l ? 'reason' limit 1)) l (reason)
  cross join lateral (select string_agg(l ->> 'name', ', ') from jsonb_array_elements(limits) l
    where operation = 'read' and l ->> 'part' = 'field') f (names)
  cross join lateral (select string_agg(distinct p ->> 'name', ', ') from jsonb_array_elements(policies) p
    where (p ->> 'permissive')::boolean and p ->> 'verdict' = 'true') b (names)
  cross join lateral (select coalesce(l.reason,
    case when is_deleted and operation <> 'update' then 'a soft delete has stamped the row' end,
    by_policies,
    words)) r (reason);
end;

comment on function service_private.access_in_words(text, jsonb, text, text, boolean, jsonb) is
  'The answer of service.access in a line: what is refused first, by limits (service_private.access_limits), a soft delete, policies '
  '(service_private.policies_in_words) or the request that was tried (service_private.undone).';

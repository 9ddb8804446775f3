create or replace function service_private.target_slug(relation jsonb) returns text
  language sql immutable parallel safe
  return case jsonb_typeof(relation -> 'target') when 'object' then relation #>> '{target,__collectionRef}' else relation ->> 'target' end;

comment on function service_private.target_slug(jsonb) is 'The collection that a declared relation leads to, in either spelling.';

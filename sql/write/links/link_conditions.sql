create or replace function service_private.link_conditions(relation service.relations) returns text[]
  language plpgsql stable as $$
begin
  return service_private.link_pairs(relation, 't', 'j', 's') || service_private.live_conditions(relation.target, 't');
end $$;

comment on function service_private.link_conditions(service.relations) is
  'SQL text, as conditions, of "t is linked to s", over a junction by j. Deleted rows that are kept are not.';

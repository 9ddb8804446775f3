create or replace function service_private.related_exists(wanted boolean, relation service.relations, alias text, target_alias text,
  conditions text[] default '{}') returns text
  language plpgsql stable as $$
declare
  reached record := service_private.relation_source(relation, alias, target_alias);
begin
  return service_private.exists_condition(wanted, reached.source, reached.conditions || conditions);
end $$;

comment on function service_private.related_exists(boolean, service.relations, text, text, text[]) is
  'SQL text of the condition that a row (alias) has (wanted), or has no, related rows (target alias) that meet these conditions.';

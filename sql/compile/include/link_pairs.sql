create or replace function service.link_pairs(relation service.relations, target_alias text, link_alias text, source_alias text)
  returns text[]
  language plpgsql stable as $$
begin
  return case when relation.junction_table is null
    then service.column_pairs(target_alias, relation.target_columns, service.equals(relation, false), source_alias, relation.local_columns)
    else service.column_pairs(link_alias, relation.junction_source, service.equals(relation, true), source_alias, relation.local_columns)
      || service.column_pairs(target_alias, relation.target_columns, service.equals(relation, false), link_alias, relation.junction_target)
    end;
end $$;

comment on function service.link_pairs(service.relations, text, text, text) is
  'SQL text, as conditions, of "this row of the target is linked with that one", where there is a junction by a row of it.';

revoke all on function service.link_pairs(service.relations, text, text, text) from public;

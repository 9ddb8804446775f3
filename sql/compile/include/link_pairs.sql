create or replace function service_private.link_pairs(relation service.relations, target_alias text, link_alias text, source_alias text)
  returns text[]
  language plpgsql stable as $$
begin
  return case when relation.junction_table is null
    then service_private.column_pairs(target_alias, relation.target_columns, service_private.equals(relation, false), source_alias,
      relation.local_columns)
    else service_private.column_pairs(link_alias, relation.junction_source, service_private.equals(relation, true), source_alias,
      relation.local_columns)
      || service_private.column_pairs(target_alias, relation.target_columns, service_private.equals(relation, false), link_alias,
        relation.junction_target)
    end;
end $$;

comment on function service_private.link_pairs(service.relations, text, text, text) is
  'SQL text, as conditions, of "this row of the target is linked with that one", where there is a junction by a row of it.';

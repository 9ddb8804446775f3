create or replace function service.link_conditions(relation service.relations) returns text[]
  language plpgsql stable as $$
begin
  return case when relation.junction_table is null
      then service.column_pairs('t', relation.target_columns, service.equals(relation, false), 's', relation.local_columns)
    else service.column_pairs('j', relation.junction_source, service.equals(relation, true), 's', relation.local_columns)
      || service.column_pairs('t', relation.target_columns, service.equals(relation, false), 'j', relation.junction_target) end
    || service.live_conditions(relation.target, 't');
end $$;

comment on function service.link_conditions(service.relations) is
  'SQL text, as conditions, of "t is linked to s", over a junction by j. Deleted rows that are kept are not.';

revoke all on function service.link_conditions(service.relations) from public;

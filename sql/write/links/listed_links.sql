create or replace function service.listed_links(relation service.relations) returns text[]
  language plpgsql stable as $$
begin
  return service.column_pairs('j', relation.junction_source, service.equals(relation, true), 's', relation.local_columns)
    || service.column_pairs('j', relation.junction_target, service.equals(relation, false),
      'l', array(select 'link' || n from generate_series(1, cardinality(relation.junction_target)) n order by n));
end $$;

comment on function service.listed_links(service.relations) is
  'SQL text, as conditions, of "j links a source row, s, with a listed one, l" (service.link_rows).';

revoke all on function service.listed_links(service.relations) from public;

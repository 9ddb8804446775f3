create or replace function service_private.listed_links(relation service.relations) returns text[]
  language plpgsql stable as $$
begin
  return service_private.column_pairs('j', relation.junction_source, service_private.equals(relation, true), 's', relation.local_columns)
    || service_private.column_pairs('j', relation.junction_target, service_private.equals(relation, false),
      'l', array(select 'link' || n from generate_series(1, cardinality(relation.junction_target)) n order by n));
end $$;

comment on function service_private.listed_links(service.relations) is
  'SQL text, as conditions, of "j links a source row, s, with a listed one, l" (service_private.link_rows).';

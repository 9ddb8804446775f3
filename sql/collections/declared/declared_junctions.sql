-- Junctions stand in one schema, wherever the tables are that they join.
create or replace function service_private.declared_junctions()
  returns table (
    collection text, name text, "position" integer, path text, target text, relation jsonb, junction_schema text, junction_table text,
    source_column text, target_column text)
  language sql stable
begin atomic
  select d.collection, d.name, d."position", d.path, d.target, d.relation, 'public',
    coalesce(d.relation #>> '{through,table}', (
      select string_agg(e.name, '_' order by e.name collate "C") from (values (s.table_name), (t.table_name)) e (name))),
    coalesce(d.relation #>> '{through,sourceColumn}', service_private.key_column_for(d.collection)),
    coalesce(d.relation #>> '{through,targetColumn}',
      service_private.key_column_for(case when d.collection = d.target then d.name else d.target end))
  from service_private.declared_relations() d
  join service.collections s on s.slug = d.collection
  join service.collections t on t.slug = d.target
  where d.kind = 'manyToMany';
end;

comment on function service_private.declared_junctions() is 
  'The manyToMany relations that definitions declare, with the junctions that they say or mean.';

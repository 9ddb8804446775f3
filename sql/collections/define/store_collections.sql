create or replace function service_private.store_collections(project jsonb) returns void
  language plpgsql volatile as $$
begin
  -- Readers of the catalog are not blocked; two writers would each leave the other's rows.
  lock table service.collections in share row exclusive mode;
  delete from service.collections;
  insert into service.collections select * from service_private.declared_collections(project);
  insert into service.properties select * from service_private.declared_columns() c order by c.collection,
    c."position" on conflict do nothing;
  -- Or what follows would be planned for the tables as they were, row by row where there are thousands.
  analyze service.collections, service.properties;
  perform service_private.store_links();
  analyze service.relations;
  perform service_private.store_foreign_keys();
  update service.properties p set not_null = true, required = false, attributes = p.attributes || '{"tenant": true}'
  from service.collections c
  where c.slug = p.collection and c.definition ? 'tenant'
    and p.column_name = service_private.property_column(c.slug, c.definition #>> '{tenant,field}');
  perform service_private.store_ends();
  perform service_private.store_junctions();
  perform service_private.store_via();
  update service.properties p set attributes = p.attributes || '{"masked": true}'
  from service.collections c
  cross join jsonb_array_elements_text(c.definition #> '{callbacks,afterRead,masks}') m (name)
  where c.slug = p.collection and p.column_name = service_private.property_column(c.slug, m.name) and not p.attributes ? 'isId';
  perform service_private.store_files();
  update service.properties p set "position" = o.n
  from (
    select p.collection, p.name, row_number() over (partition by p.collection order by p."position", p.name) as n
    from service.properties p) o
  where o.collection = p.collection and o.name = p.name and o.n <> p."position";
  update service.collections c set key = array[k.name]
  from (
    select distinct on (p.collection) p.collection, p.name
    from service.properties p
    where p.attributes ? 'isId'
    order by p.collection, p."position") k
  where k.collection = c.slug;
end $$;

comment on function service_private.store_collections(jsonb) is
  'Replaces the rows of service.collections, properties and relations by those of a project. Wrong parts are left out, and reported by '
  'service_private.definition_problems.';

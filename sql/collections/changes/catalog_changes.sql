-- For a collection that is new, gone or in another table no other change is reported.
create or replace function service_private.catalog_changes(collections_before service.collections[], properties_before service.properties[])
  returns table (kind text, verdict text, collection text, property text, detail text, remedy text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with both_collections as materialized (
    select coalesce(a.slug, b.slug) as slug, a.slug is null as is_gone, b.slug is null as is_new, a.key, b.key as key_before,
      n.at, n.at_before, to_regclass(n.at) as relation
    from (select * from service.collections where source = 'file') a
    full join (select * from unnest(collections_before) where source = 'file') b on b.slug = a.slug
    cross join lateral (
      select quote_ident(a.schema_name) || '.' || quote_ident(a.table_name) as at,
        quote_ident(b.schema_name) || '.' || quote_ident(b.table_name) as at_before) n
  ), both_properties as materialized (
    select c.slug, c.at, c.relation, coalesce(a.name, b.name) as name, a.name is null as is_gone, b.name is null as is_new,
      quote_ident(coalesce(a.column_name, b.column_name)) as column_name, quote_ident(b.column_name) as column_before,
      a.not_null, b.not_null as not_null_before,
      a.attributes #>> '{column,type}' as type, b.attributes #>> '{column,type}' as type_before,
      a.attributes -> 'isId' as id, b.attributes -> 'isId' as id_before,
      a.attributes #>> '{column,default}' is not null or a.attributes #>> '{column,identity}' = 'true'
        or a.attributes #>> '{column,type}' in ('smallserial', 'serial', 'bigserial') as is_filled,
      service_private.is_computed(a.attributes) as is_computed,
      service_private.texts(a.attributes #> '{column,enumType,labels}') as labels,
      service_private.texts(b.attributes #> '{column,enumType,labels}') as labels_before
    from (select * from service.properties) a
    full join (select * from unnest(properties_before)) b on b.collection = a.collection and b.name = a.name
    join both_collections c on c.slug = coalesce(a.collection, b.collection) and c.at = c.at_before
  )
  select 'add-collection', case when u.name is null then 'safe' else 'needs-migration' end, c.slug, null::text,
    case
      when u.name is not null then format('%s has rows, and no default that is the isId of %s.', c.at, u.name)
      when c.relation is not null then format('The table %s is there, and is served as its properties and rules say.', c.at)
      else format('The table %s is made unless it is there.', c.at) end,
    case when u.name is not null then format('alter table %s add column if not exists %I %s default (%s);', c.at, u.column_name, u.type,
      u.expression) end
  from both_collections c
  left join lateral (
    select p.name, p.column_name, p.attributes #>> '{column,type}' as type, p.attributes #>> '{column,default}' as expression
    from service.properties p
    left join pg_attribute a on a.attrelid = c.relation and a.attname = p.column_name and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where p.collection = c.slug and service_private.is_computed(p.attributes) and service_private.has_rows(c.relation)
      and (d.oid is null
        or not service_private.same_default(pg_get_expr(d.adbin, d.adrelid), p.attributes #>> '{column,default}',
          p.attributes #>> '{column,type}'))) u on c.relation is not null
  where c.is_new
  union all
  select 'remove-collection', 'needs-migration', c.slug, null,
    format('The table %s stays, with its rows, and is no longer served.', c.at_before), format('drop table %s;', c.at_before)
  from both_collections c
  where c.is_gone
  union all
  select 'change-table', 'needs-migration', c.slug, null, format('Its table is %s, and would be %s.', c.at_before, c.at),
    format('alter table %s rename to …;', c.at_before)
  from both_collections c
  where c.at <> c.at_before
  union all
  select 'change-primary-key', 'needs-migration', c.slug, null,
    format('Its key is %s, and would be %s.', array_to_string(c.key_before, ', '), array_to_string(c.key, ', ')), null
  from both_collections c
  where c.key <> c.key_before
  union all
  select 'add-property', case when f.computes then 'needs-migration' when f.fits then 'safe' else 'diverges' end, p.slug, p.name,
    case
      when f.computes then
        format('%s has rows, and the isId of %s is an expression, which only a migration evaluates for them.', p.at, p.name)
      when f.fits then format('The column %s of %s is made unless it is there.', p.column_name, p.at)
      else format('%s has rows, so the column %s is made without NOT NULL.', p.at, p.column_name) end,
    case when f.computes or not f.fits then n.remedy end
  from both_properties p
  cross join lateral (
    select not p.not_null or p.is_filled or p.relation is null or not service_private.has_rows(p.relation) as fits,
      p.is_computed and p.relation is not null and service_private.has_rows(p.relation) as computes) f
  cross join lateral (select service_private.fill('update <table> set <column> = … where <column> is null; '
    'alter table <table> alter column <column> set not null;', 'table', p.at, 'column', p.column_name) as remedy) n
  where p.is_new
  union all
  select 'remove-property', 'needs-migration', p.slug, p.name,
    format('The column %s of %s stays, with its values, and is no longer served.', p.column_name, p.at),
    format('alter table %s drop column %s;', p.at, p.column_name)
  from both_properties p
  where p.is_gone
  union all
  select 'rename-column', 'needs-migration', p.slug, p.name,
    format('Its column is %s, and would be %s.', p.column_before, p.column_name),
    format('alter table %s rename column %s to %s;', p.at, p.column_before, p.column_name)
  from both_properties p
  where p.column_name <> p.column_before
  union all
  select 'change-property-type', 'needs-migration', p.slug, p.name,
    case when p.type is distinct from p.type_before then format('Its column is %s, and would be %s.', p.type_before, p.type)
      else 'How its values are made when the caller sends none would change.' end,
    case when p.type is distinct from p.type_before then
      format('alter table %s alter column %s type %s using …;', p.at, p.column_name, p.type) end
  from both_properties p
  where not p.is_new and not p.is_gone
    and (p.type is distinct from p.type_before or p.id is distinct from p.id_before and p.id is not null and p.id_before is not null)
  union all
  select 'change-required', case when f.fits then 'safe' else 'diverges' end, p.slug, p.name,
    case
      when not p.not_null then 'It is no longer required. A column that is NOT NULL stays so.'
      when f.fits then format('The column %s of %s becomes NOT NULL.', p.column_name, p.at)
      else format('%s has rows, so NOT NULL is withheld.', p.at) end,
    case
      when not p.not_null then format('alter table %s alter column %s drop not null;', p.at, p.column_name)
      when not f.fits then service_private.fill('update <table> set <column> = … where <column> is null; '
        'alter table <table> alter column <column> set not null;', 'table', p.at, 'column', p.column_name) end
  from both_properties p
  cross join lateral (select not p.not_null or p.relation is null or not service_private.has_rows(p.relation) as fits) f
  where p.not_null <> p.not_null_before and not p.is_gone and not p.is_new
  union all
  select 'add-enum-value', 'safe', p.slug, p.name, format('%s is one more of its values.', l.label), null
  from both_properties p
  cross join unnest(p.labels) l (label)
  where not p.is_new and l.label <> all (p.labels_before)
  union all
  select 'remove-enum-value', 'needs-migration', p.slug, p.name, format('%s would no longer be one of its values.', l.label), null
  from both_properties p
  cross join unnest(p.labels_before) l (label)
  where not p.is_gone and l.label <> all (p.labels);
end $$;

comment on function service_private.catalog_changes(service.collections[], service.properties[]) is
  'The changes of collections of files since they were these rows. verdict: safe (provisioning brings it), diverges (it is served, and the '
  'database stays behind: rows that do not fit are kept), needs-migration (it would lose or rewrite stored data: remedy says how, where '
  'one statement does it).';

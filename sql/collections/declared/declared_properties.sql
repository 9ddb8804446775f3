create or replace function service_private.declared_properties()
  returns table (collection text, name text, "position" integer, path text, definition jsonb, kind text, leads boolean, broken boolean)
  language sql stable
begin atomic
  select c.slug, p.name,
    row_number() over (partition by c.slug order by array_position(o.names, p.name), p.name)::integer,
    format('%s.properties.%s', c.slug, p.name), p.declared, service_private.property_kind(p.declared),
    service_private.property_kind(p.declared) = 'relation' or (service_private.property_kind(p.declared) = 'reference'
      and exists (select from service.collections t where t.slug = p.declared ->> 'path')),
    coalesce(c.definition -> 'broken' ? p.name, false)
  from service.collections c
  cross join lateral (select service_private.texts(c.definition -> 'propertiesOrder') as names offset 0) o
  cross join jsonb_each(c.definition -> 'properties') p (name, declared)
  where c.source = 'file';
end;

comment on function service_private.declared_properties() is
  'The properties of collections as their definitions have them, in their order. leads: to another collection, by a column here or '
  'elsewhere (a reference to nowhere is plain text). broken: of a wrong form, so that nothing else is reported about it.';

create or replace function service_private.mark_tenants() returns void
  language sql volatile
begin atomic
  update service.properties p set not_null = true, required = false, attributes = p.attributes || '{"tenant": true}'
  from service.collections c
  where c.slug = p.collection and c.definition ? 'tenant'
    and p.column_name = service_private.property_column(c.slug, c.definition #>> '{tenant,field}');
end;

comment on function service_private.mark_tenants() is
  'Marks the properties that hold the tenant of a row: never empty, and never asked for.';

-- Where a link is a foreign key of the other row it is closed to whom that field is closed.
create or replace function service_private.require_linkable(relation service.relations, op text, roles text[]) returns void
  language plpgsql stable as $$
declare
  target service.collections;
begin
  select c.* into target from service.collections c where c.slug = relation.target;
  perform service_private.require_resolved(relation);
  perform service_private.require_relation_readable(relation, roles);
  if relation.junction_table is null then
    if target.read_only then
      perform service.fail(403, 'WRITE_DENIED', format('%s is read-only.', target.slug), jsonb_build_object('collection', target.slug));
    elsif op <> 'create' and service_private.moved_columns(relation) = '{}' then
      perform service.fail(400, 'RELATION_NOT_WRITABLE',
        format('%s cannot be set: what leads back is the key of %s.', relation.name, target.slug),
        jsonb_build_object('collection', relation.collection, 'relation', relation.name));
    end if;
    perform service_private.require_open_fields(target, op,
      array(select (service_private.find_column(target.slug, c)).name from unnest(relation.target_columns) c), roles);
  end if;
end $$;

comment on function service_private.require_linkable(service.relations, text, text[]) is
  'Nothing, or why these roles cannot write links of a relation (op: create, with a new row of its target; or update): GW500 '
  'RELATION_MISCONFIGURED, GW400 FIELD_NOT_READABLE, VALIDATION_EXCLUDED_FIELDS, FIELD_NOT_WRITABLE, RELATION_NOT_WRITABLE, GW403 '
  'WRITE_DENIED.';

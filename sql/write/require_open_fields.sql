create or replace function service.require_open_fields(served service.collections, op text, body jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  closed text[];
  unwritable text[];
begin
  select array_agg(b.key order by b.key) filter (where p.excluded or p.write_roles = '{}' or (p.generated and not (op = 'update' and p.name = any (served.key)) and b.value not in ('null', '""'))),
    array_agg(b.key order by b.key) filter (where p.write_roles <> '{}' and not p.write_roles && roles and not 'admin' = any (roles))
    into closed, unwritable
  from jsonb_each(body) b
  left join service.relations r on r.collection = served.slug and r.name = b.key and r.kind = 'belongsTo'
  join service.properties p on p.collection = served.slug and (b.key in (p.name, p.column_name) or p.column_name = r.local_columns[1]);
  if closed is not null then
    perform service.fail(400, 'VALIDATION_EXCLUDED_FIELDS', format('Nobody may write %s.', array_to_string(closed, ', ')),
      jsonb_build_object('collection', served.slug, 'fields', closed));
  end if;
  if unwritable is not null then
    perform service.fail(400, 'FIELD_NOT_WRITABLE', format('This caller may not write %s.', array_to_string(unwritable, ', ')),
      jsonb_build_object('collection', served.slug, 'fields', unwritable,
        'violations', (select jsonb_agg(jsonb_build_object('field', f, 'code', 'access', 'message', 'Writing it needs another role.')) from unnest(unwritable) f)));
  end if;
end $$;

comment on function service.require_open_fields(service.collections, text, jsonb, text[]) is
  'Nothing, or GW400 VALIDATION_EXCLUDED_FIELDS {collection, fields} for what nobody may write, FIELD_NOT_WRITABLE {collection, fields, violations} for what these roles may not.';

revoke all on function service.require_open_fields(service.collections, text, jsonb, text[]) from public;

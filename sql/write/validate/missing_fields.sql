-- A key that is left out is the database's to make or to miss. A beforeSave callback may fill anything; then NOT NULL is the backstop.
create or replace function service_private.missing_fields(served service.collections, sent text[]) returns jsonb
  language plpgsql stable as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('field', m.field, 'code', 'required', 'message', service_private.required_message(m.field, p.attributes))
      order by m.field)
    from service.properties p
    left join service.relations r on r.collection = p.collection and r.kind = 'belongsTo' and r.local_columns = array[p.column_name]
    cross join lateral (select coalesce(r.name, p.name)) m (field)
    where p.collection = served.slug and service_private.is_required(served, p)
      and not exists (select from service_private.sent_fields(served, sent) s where (s.property).column_name = p.column_name));
end $$;

comment on function service_private.missing_fields(service.collections, text[]) is
  'Violations [{field, code, message}] of the required fields that a create does not name; null when there are none.';

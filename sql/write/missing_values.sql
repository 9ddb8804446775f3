-- A beforeSave callback may fill what is missing; then NOT NULL is the backstop.
create or replace function service.missing_values(served service.collections, op text, body jsonb)
  returns table (field text, code text, message text)
  language sql stable
begin atomic
  select coalesce(r.name, p.name), 'required', coalesce(p.attributes ->> 'requiredMessage', p.attributes -> 'validation' ->> 'requiredMessage', format('%s is required.', coalesce(r.name, p.name)))
  from service.properties p
  left join service.relations r on r.collection = p.collection and r.kind = 'belongsTo' and r.local_columns = array[p.column_name]
  where p.collection = served.slug and p.required and not p.excluded
    and not p.attributes ? 'autoValue'
    and not (p.name = any (served.key) and p.attributes ->> 'isId' in ('uuid', 'increment') and served.source = 'file')
    and not served.callbacks ? 'beforeSave'
    and case op
      when 'create' then coalesce((select bool_and(s.value = 'null') from service.body_columns(served, body) s where s.column_name = p.column_name), true)
      else coalesce((select bool_or(s.value = 'null') from service.body_columns(served, body) s where s.column_name = p.column_name), false)
    end;
end;

comment on function service.missing_values(service.collections, text, jsonb) is
  'Required fields that a body leaves out (create) or sets to null.';

revoke all on function service.missing_values(service.collections, text, jsonb) from public;

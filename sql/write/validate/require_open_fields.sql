-- An update may repeat a key that only the database makes: it names the row.
create or replace function service_private.require_open_fields(served service.collections, op text, sent text[], roles text[]) returns void
  language plpgsql stable as $$
declare
  closed text[];
  unwritable text[];
begin
  select array_agg(s.field order by s.field) filter (where (s.property).excluded or (s.property).write_roles = '{}'
      or ((s.property).generated and not (op = 'update' and (s.property).name = any (served.key)))),
    array_agg(s.field order by s.field) filter (where (s.property).write_roles <> '{}'
      and not (s.property).write_roles && roles and not 'admin' = any (roles))
    into closed, unwritable
  from service_private.sent_fields(served, sent) s;
  if closed is not null then
    perform service_private.refuse_excluded(served.slug, closed);
  end if;
  if unwritable is not null then
    perform service_private.refuse_unwritable(served.slug, unwritable);
  end if;
end $$;

comment on function service_private.require_open_fields(service.collections, text, text[], text[]) is
  'Nothing, or GW400 VALIDATION_EXCLUDED_FIELDS for fields that no caller may write, FIELD_NOT_WRITABLE for those that these roles may '
  'not; details as service_private.violation_details.';

create or replace function service_private.stored_tag(served service.collections, roles text[]) returns text
  language sql stable
begin atomic
  select format('concat(''"'', %s, ''"'')', service_private.row_tag(served.slug, 't', roles, 't.xmin'));
end;

comment on function service_private.stored_tag(service.collections, text[]) is
  'SQL text of the entity tag of a row of the table itself, t, as a read by these roles gives it (ETag, with its quotes).';

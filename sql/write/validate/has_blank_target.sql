create or replace function service_private.has_blank_target(request jsonb) returns boolean
  language sql stable
begin atomic
  select exists (
    select
    from service.collections c
    cross join lateral service_private.sent_fields(c, case when request -> 'conflict' = '[]' then c.key
      else array(select jsonb_array_elements_text(request -> 'conflict')) end) t
    join lateral service_private.sent_fields(c, array(select jsonb_object_keys(request -> 'body'))) s
      on (s.property).column_name = (t.property).column_name
    where c.slug = request -> 'path' ->> 0 and request -> 'body' -> s.field in ('null', '""'));
end;

comment on function service_private.has_blank_target(jsonb) is 'Whether an upsert sends a part of its target as null or blank.';

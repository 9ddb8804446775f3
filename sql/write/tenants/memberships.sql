-- Under the caller's own policies. Softly deleted memberships do not count.
create or replace function service_private.memberships(membership jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  members constant text := membership ->> 'collection';
begin
  return format('select m.%I::text from %s m where %s',
    service_private.field_column(members, membership ->> 'tenantField'), service_private.table_name(members),
    array_to_string(format('m.%I::text = (select service.uid())', service_private.field_column(members, membership ->> 'userField'))
      || service_private.live_conditions(members, 'm'), ' and '));
end $$;

comment on function service_private.memberships(jsonb) is
  'SQL text of the query that reads the caller''s tenants, as text, from a collection {collection, userField, tenantField}.';

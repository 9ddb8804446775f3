-- Under the caller's own policies. Who has been taken out softly is out.
create or replace function service.memberships(membership jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  members constant text := membership ->> 'collection';
begin
  return format('select m.%I::text from %s m where %s',
    service.field_column(members, membership ->> 'tenantField'), service.table_name(members),
    array_to_string(format('m.%I::text = (select service.uid())', service.field_column(members, membership ->> 'userField'))
      || service.live_conditions(members, 'm'), ' and '));
end $$;

comment on function service.memberships(jsonb) is
  'SQL text of the query that reads the caller''s tenants, as text, from a collection {collection, userField, tenantField}.';

revoke all on function service.memberships(jsonb) from public;

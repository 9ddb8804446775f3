create or replace function service_private.access_limits(
  served service.collections, operation text, stored text, proposed jsonb, claims jsonb)
  returns table (part text, name text, verdict text, message text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with asked as (
    select to_regclass(service_private.table_name(served.slug)) as relation, service_private.claimed_roles(claims) as roles,
      service_private.claimed_scopes(claims) as scopes, service_private.deletion_stamp(served.slug) as stamp
  ), fault (n, part, name, passes, message) as (
    select 1, 'exposed', served.slug, served.exposed, 'The collection is not served.' from asked
    union all
    select 2, 'read-only', served.slug, false, 'The collection is read-only.' from asked where served.read_only and operation <> 'read'
    union all
    select 3, 'scope', s.scope, a.scopes && array[s.scope, s.scope || ':' || served.slug],
      format('%s:%s is not among the scopes of the key.', s.scope, served.slug)
    from asked a
    cross join lateral (select case operation when 'read' then 'data:read' when 'delete' then 'data:delete' else 'data:write' end) s (scope)
    where a.scopes is not null
    union all
    select 4, 'grant', g.privilege, has_table_privilege('service_user', a.relation, g.privilege),
      format('service_user has no %s on the table.', upper(g.privilege))
    from asked a
    cross join lateral unnest(array['select'] || case operation when 'read' then '{}'
      when 'create' then '{insert}'
      when 'update' then '{update}'
      when 'delete' then array[case when a.stamp is null then 'delete' else 'update' end] end::text[]) g (privilege)
    where a.relation is not null
    union all
    select 5, 'row', null, stored is not null, 'There is no such row.' from asked where operation <> 'create'
    union all
    select 6, 'field', p.name, false, 'FIELD_NOT_READABLE'
    from asked a join service.properties p on p.collection = served.slug and not p.excluded and not service_private.readable(p, a.roles)
    where operation = 'read'
    union all
    select 7, 'field', k.key, false, case when p.name is null then 'VALIDATION_UNKNOWN_FIELDS' else 'FIELD_NOT_WRITABLE' end
    from asked a
    cross join jsonb_object_keys(coalesce(proposed, '{}')) k (key)
    cross join lateral service_private.find_property(served.slug, k.key) p
    where operation in ('create', 'update') and not exists (
        select from service.relations r where r.collection = served.slug and r.name = k.key)
      and (p.name is null or not service_private.is_open(p.write_roles, a.roles))
  )
  select f.part, f.name, f.passes::text, case when not f.passes then f.message end from fault f order by f.n, f.name;
end;

comment on function service_private.access_limits(service.collections, text, text, jsonb, jsonb) is
  'Returns the reasons beside policies that decide about a request: whether the collection is served and may be written, the scopes of '
  'a key, grants of service_user, whether the row is there, and the fields that the caller may not read, or sends and may not write. '
  'verdict: true where it lets the request pass.';

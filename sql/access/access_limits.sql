-- In the order in which a request is refused. A read of all fields leaves out those that are closed to the caller; one that names them is
-- refused. A view may show another row to the caller than to its owner, so that only the request itself tells whether it is there.
create or replace function service_private.access_limits(
  served service.collections, operation text, stored text, proposed jsonb, claims jsonb)
  returns table (part text, name text, verdict text, message text, reason text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  -- Its plan is kept for the session: to make it takes longer than to run it.
  return query
  with asked as (
    select c.oid as relation, c.relkind = 'v' as is_view, service_private.claimed_roles(claims) as roles,
      service_private.claimed_scopes(claims) as scopes, service_private.deletion_stamp(served.slug) as stamp
    from pg_class c
    where c.oid = to_regclass(service_private.table_name(served.slug))
  ), named as (
    select k.key, p.name, p.write_roles, p.read_roles
    from jsonb_object_keys(coalesce(proposed, '{}')) k (key)
    cross join lateral service_private.find_property(served.slug, k.key) p
    where not exists (select from service.relations r where r.collection = served.slug and r.name = k.key)
  ), fault (n, part, name, passes, message, reason) as (
    select 1, 'exposed', served.slug, served.exposed, 'The collection is not served.', null from asked
    union all
    select 2, 'read-only', served.slug, false, 'The collection is read-only.', null
    from asked where served.read_only and operation <> 'read'
    union all
    select 3, 'scope', s.scope, a.scopes && array[s.scope, s.scope || ':' || served.slug],
      format('%s:%s is not among the scopes of the key.', s.scope, served.slug), null
    from asked a
    cross join lateral (select case operation when 'read' then 'data:read' when 'delete' then 'data:delete' else 'data:write' end) s (scope)
    where a.scopes is not null
    union all
    select 4, 'grant', g.privilege, g.closed = '{}', format('service_user has no %s on the %s.', upper(g.privilege),
        case when g.closed = '{*}' then 'table' else 'columns ' || array_to_string(g.closed, ', ') end), null
    from service_private.closed_columns(served, operation, proposed, claims) g
    union all
    select 5, 'field', k.key, false, m.code, concat(m.code, ': ', k.key,
      case when m.code like 'FIELD%' then ' is for ' || coalesce(nullif(array_to_string(k.write_roles, ', '), ''), 'no caller') end)
    from asked a
    cross join named k
    cross join lateral (select case
      when k.name is null then 'VALIDATION_UNKNOWN_FIELDS'
      when k.write_roles = '{}' then 'VALIDATION_EXCLUDED_FIELDS'
      when not service_private.is_open(k.write_roles, a.roles) then 'FIELD_NOT_WRITABLE' end) m (code)
    where operation in ('create', 'update') and m.code is not null
    union all
    select 5, 'field', p.name, false, 'FIELD_NOT_READABLE', case when proposed is not null then
      concat('FIELD_NOT_READABLE: ', p.name, ' is for ', coalesce(nullif(array_to_string(p.read_roles, ', '), ''), 'no caller')) end
    from asked a
    join service.properties p on p.collection = served.slug and not p.excluded and not service_private.readable(p, a.roles)
    where operation = 'read' and (proposed is null or exists (select from named k where k.name = p.name))
    union all
    select 6, 'row', null, stored is not null, 'There is no such row.', null
    from asked a
    where operation <> 'create' and (stored is not null or not a.is_view)
  )
  select f.part, f.name, f.passes::text, case when not f.passes then f.message end, 
    case when not f.passes then coalesce(f.reason, case when f.part <> 'field' then f.message end) end
  from fault f
  order by f.n, f.name;
end $$;

comment on function service_private.access_limits(service.collections, text, text, jsonb, jsonb) is
  'Returns the reasons beside policies that decide about a request: whether the collection is served and may be written, the scopes of '
  'a key, grants of service_user, the fields that the caller may not read, or sends and may not write, and whether the row is there. '
  'verdict: true where it lets the request pass; reason: in words, for the answer.';

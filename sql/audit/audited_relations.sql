create or replace function service_private.audited_relations()
  returns table (
    oid oid, schema_name text, name text, full_name text, kind "char", owner oid, target jsonb, collection text, managed boolean,
    readable boolean, writable boolean, protected boolean, forced boolean, options text[], acl aclitem[])
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select c.oid, n.nspname::text, c.relname::text, format('%I.%I', n.nspname, c.relname), c.relkind, c.relowner,
    jsonb_build_object('schema', n.nspname, case when c.relkind in ('v', 'm') then 'view' else 'table' end, c.relname),
    w.collection, w.oid is not null,
    u.usable and has_any_column_privilege('service_user', c.oid, 'select'),
    u.usable and (has_any_column_privilege('service_user', c.oid, 'insert, update')
      or has_table_privilege('service_user', c.oid, 'delete')),
    c.relrowsecurity, c.relforcerowsecurity, c.reloptions, c.relacl
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  cross join lateral (select has_schema_privilege('service_user', n.oid, 'usage') as usable) u
  left join unnest(service_private.wanted_tables()) w on w.oid = c.oid
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
    and n.nspname not in (select e.schema_name from service_private.audit_excluded_schemas() e)
    -- Objects of an extension belong to it.
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');
end $$;

comment on function service_private.audited_relations() is
  'The tables and views that service.audit() looks at. readable, writable: a request reaches them, whatever row security says; managed: '
  'collection files ask for the table (collection is null for a junction); target: how a finding names it.';

-- A drop that cascades follows pg_depend from the schema on: to what needs an object, and from a part (the rule of a view,
-- the expression of a generated column, a member of an extension) to its whole. `drop owned` drops a policy with its last role.
create or replace function service.dependents() returns table (kind text, name text, definition text)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with recursive made (classid, objid, objsubid) as materialized (
    select 'pg_trigger'::regclass::oid, t.oid, 0
    from pg_trigger t
    join pg_proc f on f.oid = t.tgfoid
    where f.pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)
    union all
    select 'pg_event_trigger'::regclass, e.oid, 0
    from pg_event_trigger e
    join pg_proc f on f.oid = e.evtfoid
    where f.pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)
    union all
    select 'pg_policy'::regclass, d.objoid, 0
    from pg_description d
    where d.classoid = 'pg_policy'::regclass and d.description ~ '^Generated .* meaning:'
    union all
    select p.classid, p.objid, p.objsubid
    from pg_description d
    left join pg_attrdef e on e.adrelid = d.objoid and e.adnum = d.objsubid
    cross join lateral (values
      ('pg_class'::regclass::oid, d.objoid, d.objsubid), ('pg_attrdef'::regclass, e.oid, 0)) p (classid, objid, objsubid)
    where d.classoid = 'pg_class'::regclass and service_private.search_meaning(d.description) is not null
  ), lost (classid, objid, objsubid) as (
    select 'pg_namespace'::regclass::oid, n.oid, 0 from pg_namespace n where n.nspname in ('service', 'service_private')
    union
    select next.classid, next.objid, next.objsubid
    from lost l
    cross join lateral (
      select d.classid, d.objid, d.objsubid
      from pg_depend d
      where d.refclassid = l.classid and d.refobjid = l.objid and l.objsubid in (0, d.refobjsubid)
      union all
      select d.refclassid, d.refobjid, d.refobjsubid
      from pg_depend d
      where d.classid = l.classid and d.objid = l.objid and d.objsubid = l.objsubid and d.deptype in ('i', 'e')
    ) next
    where not exists (select from made m where (m.classid, m.objid, m.objsubid) = (next.classid, next.objid, next.objsubid))
  ), gone as (
    select l.classid, l.objid, l.objsubid from lost l
    union
    select 'pg_policy'::regclass, p.oid, 0
    from pg_policy p
    where p.polroles = array[(select r.oid from pg_roles r where r.rolname = 'service_user')]
      and not exists (select from made m where m.classid = 'pg_policy'::regclass and m.objid = p.oid)
  )
  select i.type, i.identity,
    case i.type
      when 'policy' then format('create policy %I on %s as %s for %s to %s%s%s', p.polname, p.polrelid::regclass,
        case when p.polpermissive then 'permissive' else 'restrictive' end,
        case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
        (select string_agg(case r.role when 0 then 'public' else r.role::regrole::text end, ', ') from unnest(p.polroles) r (role)),
        ' using (' || pg_get_expr(p.polqual, p.polrelid) || ')',
        ' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
      when 'trigger' then pg_get_triggerdef(g.objid)
      when 'view' then format('create view %s as %s', i.identity, pg_get_viewdef(g.objid))
      when 'materialized view' then format('create materialized view %s as %s', i.identity, pg_get_viewdef(g.objid))
      when 'function' then pg_get_functiondef(g.objid)
      when 'procedure' then pg_get_functiondef(g.objid)
      when 'index' then pg_get_indexdef(g.objid)
      when 'table constraint' then
        format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
      when 'default value' then format('alter table %s alter column %I set default %s', e.adrelid::regclass,
        (select a.attname from pg_attribute a where a.attrelid = e.adrelid and a.attnum = e.adnum), pg_get_expr(e.adbin, e.adrelid))
    end
  from gone g
  cross join lateral pg_identify_object(g.classid, g.objid, g.objsubid) i
  left join pg_policy p on g.classid = 'pg_policy'::regclass and p.oid = g.objid
  left join pg_trigger t on g.classid = 'pg_trigger'::regclass and t.oid = g.objid
  left join pg_constraint c on g.classid = 'pg_constraint'::regclass and c.oid = g.objid
  left join pg_attrdef e on g.classid = 'pg_attrdef'::regclass and e.oid = g.objid
  left join pg_class r on r.oid = coalesce(p.polrelid, t.tgrelid, c.conrelid, e.adrelid)
  -- The row type of a view and the rule that fills it go with the view, the expression of a generated column with the column.
  where coalesce(i.schema, '') not in ('service', 'service_private', 'pg_toast') and coalesce(r.relnamespace, 0) <> 'service'::regnamespace
    and i.type not in ('schema', 'rule', 'type')
    and not (i.type = 'default value' and exists (
      select from pg_attribute a where a.attrelid = e.adrelid and a.attnum = e.adnum and a.attgenerated <> ''))
    and not coalesce(t.tgisinternal, false)
  order by 1, 2;
end;

comment on function service.dependents() is
  'Objects of yours that "drop schema service, service_private cascade; drop owned by service_user" would drop: policies, views, defaults '
  'and the like that call Rowgate''s functions or are for service_user alone. definition: the statement that creates it again, where there '
  'is one, without its comment and grants. Rowgate''s own objects (triggers, policies of rules, search columns) are not included.';

-- Example: select kind, name, definition from service.dependents();

-- A partition has a copy of its parent's trigger, and cannot have another one of this name: so surplus triggers go first. A table that
-- inherits in the other way needs a trigger of its own.
create or replace function service_private.plan_webhooks() returns table (name text, statement text, problem text)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with recursive told (relation) as (
    select w.relation::oid from service.webhooks w where w.enabled and w.relation is not null
    union
    select i.inhrelid from told t join pg_inherits i on i.inhparent = t.relation
  ), source as (
    select c.oid as relation, format('%I.%I', n.nspname, c.relname) as name, c.relispartition and exists (
      select from pg_inherits i join told p on p.relation = i.inhparent where i.inhrelid = c.oid) as is_covered
    from told t
    join pg_class c on c.oid = t.relation and c.relkind in ('r', 'p')
    join pg_namespace n on n.oid = c.relnamespace
  ), stored as (
    select g.tgrelid as relation, format('%I.%I', n.nspname, c.relname) as name, g.tgname, g.tgparentid, g.tgenabled
    from pg_trigger g
    join pg_class c on c.oid = g.tgrelid
    join pg_namespace n on n.oid = c.relnamespace
    where g.tgfoid = 'service_private.enqueue_webhooks'::regproc
  ), planned (place, name, statement, problem) as (
    select 1, s.name, format('drop trigger if exists %I on %s;', s.tgname, s.name), null
    from stored s
    where s.tgparentid = 0 and not exists (select from source o where o.relation = s.relation and not o.is_covered)
    union all
    select 2, o.name, service_private.fill($$
      create or replace trigger _950_webhook after insert or update or delete on <table>
      for each row execute function service_private.enqueue_webhooks();
    $$, 'table', o.name), null
    from source o
    where not o.is_covered and not exists (
      select from stored s where s.relation = o.relation and s.tgparentid = 0 and s.tgname = '_950_webhook')
    union all
    select 3, s.name, format('alter table %s enable trigger %I;', s.name, s.tgname), 'its trigger is disabled'
    from stored s
    where s.tgenabled not in ('O', 'A')
    union all
    select 4, format('%I.%I', w.schema_name, w.table_name), null, 'there is no such table any more'
    from service.webhooks w
    where w.enabled and w.relation is null
  )
  select p.name, p.statement, p.problem from planned p order by p.place, p.name;
end;

comment on function service_private.plan_webhooks() is
  'Tables whose triggers are not those that service.webhooks needs: statement makes or drops them, or problem says what to do.';

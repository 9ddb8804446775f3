-- The triggers exist before the first subscription: creating one at that moment would lock the table, and announce
-- DDL.
create or replace function service.plan_changes() returns table (relation oid, name text, statement text, problem text)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with source as materialized (
    select s.relation, s.name, s.kind, case when count(distinct s.key_column) = 1 then min(s.key_column) end as key_column
    from service.change_sources() s
    group by s.relation, s.name, s.kind
  ), missing as (
    select s.relation, s.name, string_agg(service_private.fill($$
        create or replace trigger <name> after <event> on <table>
        <tables?>
        for each statement when (pg_catalog.pg_sequence_last_value('service.changes_asked'::regclass) is not null)
        execute function service_private.announce_change(<key>);
      $$,
      'name', w.trigger_name, 'event', w.event, 'table', s.name, 'tables', nullif(w.tables, ''),
      'key', coalesce(quote_literal(s.key_column), '')),
      E'\n' order by w.trigger_name) as statement
    from source s
    cross join service_private.change_triggers() w
    where s.kind in ('r', 'p') and not exists (
      select from pg_trigger g
      where g.tgrelid = s.relation and g.tgname = w.trigger_name and g.tgfoid = 'service_private.announce_change'::regproc
        and g.tgargs = coalesce(convert_to(s.key_column, getdatabaseencoding()) || '\x00', ''))
    group by s.relation, s.name
  )
  select m.relation, m.name, m.statement, null::text from missing m
  union all
  select g.tgrelid, s.name, format('alter table %s enable trigger %I;', s.name, g.tgname), 'its trigger is disabled'
  from source s
  join pg_trigger g on g.tgrelid = s.relation and g.tgfoid = 'service_private.announce_change'::regproc and g.tgenabled not in ('O', 'A')
  union all
  select s.relation, s.name, null,
    case s.kind when 'm' then 'a materialized view has no triggers' else 'what changes a foreign table fires none here' end
  from source s
  where s.kind in ('m', 'f');
end;

comment on function service.plan_changes() is
  'Tables that do not announce their changes: statement creates the missing triggers, or problem says what to do; null where nothing can '
  'be done.';

-- Example: select name, statement from service.plan_changes();

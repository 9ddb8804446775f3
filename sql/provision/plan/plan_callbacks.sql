-- A callback whose function is missing is called all the same: writes fail until it is there, rather than go unchecked.
create or replace function service_private.plan_callbacks(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables(),
  wanted_columns service_private.wanted_column[] default service_private.wanted_columns()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $body$
#variable_conflict use_column
begin
  return query
  with callback as materialized (
    select c.*, format('%I.%I', c.function_schema, c.function_name) as called,
      service_private.short_name(c.collection, c.suffix) as function_for
    from service_private.callbacks(wanted_tables) c
  ), stamp as materialized (
    select * from service_private.wanted_stamps(wanted_tables, wanted_columns)
  ), tenant as materialized (
    select n.*, service_private.short_name(n.collection, '__tenant') as function_for from service_private.wanted_tenants(wanted_tables) n
  ), history as materialized (
    select * from service_private.wanted_history(wanted_tables)
  ), release as materialized (
    select * from service_private.wanted_releases(wanted_tables)
  ), account as materialized (
    select * from service_private.wanted_accounts(wanted_tables)
  ), generated as (
    select c.function_for, service_private.callback_body(c.collection, c.key, c.names, c.hook, c.called, c.soft_delete) as body,
      '' as options,
      format('Trigger: calls %s, the %s callback of %s. Generated.', c.called, c.hook, c.collection) as comment
    from callback c
    where c.suffix is not null
    union all
    select s.function_for, s.body, '', format('Trigger: stamps the rows of %I.%I. Generated.', s.schema_name, s.table_name)
    from stamp s
    union all
    select n.function_for, service_private.tenant_body(n.collection, n.field, n.column_name, n.type, n.bypasses, n.tenants), '',
      format('Trigger: keeps the rows of %I.%I with their tenants. Generated.', n.schema_name, n.table_name)
    from tenant n
    union all
    -- As the owner: writers of the table have no rights on its history. With settings that show values alike for all
    -- writers.
    select h.function_for, h.body, E'\nsecurity definer set search_path = pg_catalog, pg_temp '
        'set timezone = ''UTC'' set datestyle = ''ISO, YMD'' set intervalstyle = ''postgres'' set extra_float_digits = 1',
      format('Trigger: writes the history of the rows of %I.%I. Generated.', h.schema_name, h.table_name)
    from history h
    union all
    select r.function_for, r.body, case when r.as_owner then E'\nsecurity definer set search_path = pg_catalog, pg_temp' else '' end,
      format('Trigger: lets go of files that the rows of %I.%I named. Generated.', r.schema_name, r.table_name)
    from release r
    union all
    -- As the owner, past row security, or in an error where that holds the owner too: an account that is half written is none.
    -- With the path of requests, for callbacks.
    select f.name, f.body,
      format(E'\nsecurity definer set search_path = %s, pg_temp set row_security = off', service_private.lane_path('public')),
      format('Trigger: keeps the accounts of service.users and the rows of %I.%I alike. Generated.', a.schema_name, a.table_name)
    from account a
    cross join lateral (values (a.row_function, a.row_body), (a.account_function, a.account_body)) f (name, body)
  ), wanted_trigger as (
    select c.schema_name, c.table_name, c.relation, c.trigger_name as name, c.function_for,
      c.events + case when c.soft_delete is not null and c.hook like '%Delete' then 16 else 0 end as events, null as condition
    from callback c
    where c.suffix is not null
    union all
    select s.schema_name, s.table_name, s.relation, '_300_stamp', s.function_for, 1 + 2 + 4 + 16, null
    from stamp s
    union all
    select n.schema_name, n.table_name, n.relation, '_400_tenant', n.function_for, 1 + 2 + 4 + 16, null
    from tenant n
    union all
    select h.schema_name, h.table_name, h.relation, '_910_history', h.function_for, 1 + 4 + 8 + 16, null
    from history h
    union all
    select r.schema_name, r.table_name, r.relation, r.trigger_name, r.function_for, 1 + 2 + 8 + 16, r.condition
    from release r
    union all
    select a.schema_name, a.table_name, a.relation, g.name, a.account_function, g.events, null
    from account a
    cross join (values ('_500_account', 1 + 2 + 4 + 16), ('_800_account', 1 + 4 + 8 + 16)) g (name, events)
    union all
    select 'service', 'users', 'service.users'::regclass, '_800_row', a.row_function, 1 + 4 + 8 + 16, null
    from account a
  ), service_function as (
    select p.oid, p.proname::text as name, p.prosrc, p.pronargs, p.prosecdef
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'service_private'
  ), stored_trigger as (
    select g.oid, g.tgrelid, g.tgname::text as name, g.tgtype, g.tgenabled, g.tgqual is not null as has_condition,
      f.name as function_for
    from pg_trigger g
    join service_function f on f.oid = g.tgfoid
    where not g.tgisinternal
  ), trigger as (
    select w.*, format('%I.%I', w.schema_name, w.table_name) as on_table,
      format('%I.%I.%I', w.schema_name, w.table_name, w.name) as target,
      s.oid, s.tgenabled, s.tgtype = w.events and s.function_for = w.function_for and s.has_condition = (w.condition is not null) as same
    from wanted_trigger w
    left join stored_trigger s on s.tgrelid = w.relation and s.name = w.name
  )
  select 110, 'function', format('service_private.%I', g.function_for), service_private.fill($$
      create or replace function <function>() returns trigger language plpgsql<options> as <body>;
      comment on function <function>() is <comment>;
      revoke all on function <function>() from public
    $$,
    'function', format('service_private.%I', g.function_for), 'options', g.options, 'body', quote_literal(g.body),
    'comment', quote_literal(g.comment)),
    false, 'safe', null::text, null::text
  from generated g
  where not exists (select from service_function f where f.name = g.function_for and f.pronargs = 0 and f.prosrc = g.body
    and f.prosecdef = (g.options <> ''))
  union all
  select 110, 'callback', c.called, null, false, 'report',
    case when c.oid is null then format('The %s callback of %s is not there: it needs this function.', c.hook, c.collection)
      else format('The %s callback of %s must return %s.', c.hook, c.collection, c.result) end,
    format('create function %s(%s) returns %s …', c.called, c.arguments, c.result)
  from callback c
  where not c.fits
  union all
  select u.step, 'accounts', format('%I.%I', a.schema_name, a.table_name), u.statement, false, 'safe', u.detail, u.remedy
  from account a
  cross join lateral (values
    (119, case when a.relation is not null and service_private.has_rows(a.relation) then
        format('select service_private.require_accounts(%L, %L)', format('%I.%I', a.schema_name, a.table_name), a.key) end,
      'Every row that is there must have an account.',
      'Delete these rows, or make accounts of them: insert into service.users (uid, email, roles, …) select …;'),
    (121, a.filling, 'Every account gets its row.', null)) u (step, statement, detail, remedy)
  where u.statement is not null and (
    not exists (select from trigger t where t.name = '_800_row' and t.oid is not null and t.same)
    or not exists (select from service_function f where f.name = a.row_function and f.prosrc = a.row_body))
  union all
  select 120, 'trigger', t.target, service_private.fill($$
      create or replace trigger <name> <moment> <events> on <table>
      for each row <condition>execute function service_private.<function>()
    $$,
    'name', quote_ident(t.name),
    'moment', case when t.events & 2 > 0 then 'before' else 'after' end,
    'events', concat_ws(' or ', case when t.events & 4 > 0 then 'insert' end,
      case when t.events & 16 > 0 then 'update' end, case when t.events & 8 > 0 then 'delete' end),
    'table', t.on_table, 'condition', coalesce('when (' || t.condition || ') ', ''), 'function', quote_ident(t.function_for)),
    false, 'safe', null, null
  from trigger t
  where t.oid is null or not t.same
  union all
  select 120, 'trigger', t.target, null, false, 'report', 'It is disabled: what it does is skipped.',
    format('alter table %s enable trigger %I;', t.on_table, t.name)
  from trigger t
  where t.same and t.tgenabled = 'D'
  union all
  select 121, 'trigger', format('%I.%I.%I', n.nspname, r.relname, s.name),
    format('drop trigger %I on %I.%I', s.name, n.nspname, r.relname), false, 'safe', 'No collection asks for it any more.', null
  from stored_trigger s
  join pg_class r on r.oid = s.tgrelid
  join pg_namespace n on n.oid = r.relnamespace
  -- The former table of accounts must write none of them when another one is.
  where (s.name in ('_500_account', '_800_account', '_800_row') or s.tgrelid in (select t.oid from unnest(wanted_tables) t)
      and (s.name in (select h.trigger_name from service_private.hooks() h)
        or s.name in ('_300_stamp', '_400_tenant', '_905_files', '_906_files', '_910_history')))
    and not exists (select from wanted_trigger w where w.relation = s.tgrelid and w.name = s.name)
  union all
  select 120, 'trigger', format('%I.%I.%I', t.schema_name, t.table_name, g.tgname), null, false, 'report',
    'Its name sorts between the generated triggers'', so it runs between them.', null
  from unnest(wanted_tables) t
  join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
  where g.tgname collate "C" > '_100' and g.tgname collate "C" < '_911'
    and not exists (select from stored_trigger s where s.oid = g.oid)
  union all
  select 120, 'trigger', format('%I.%I', c.schema_name, c.table_name), null, false, 'report', w.missing, null
  from service.collections c
  cross join lateral (values
    ('history', 'It is no table, so no trigger can write the history of its rows.'),
    ('tenant', 'It is no table, so no policy can keep its tenants apart: those of the tables beneath must.'),
    ('auth', 'It is no table, so it can hold no accounts.')) w (key, missing)
  where c.source = 'file' and coalesce(c.definition -> w.key, 'false') <> 'false'
    and to_regclass(format('%I.%I', c.schema_name, c.table_name)) is not null
    and not exists (select from unnest(wanted_tables) t where t.collection = c.slug);
end $body$;

comment on function service_private.plan_callbacks(service_private.wanted_table[], service_private.wanted_column[]) is
  'The part of service.provision_plan() about callbacks, stamps, tenants, accounts, files, history and the triggers that call them.';

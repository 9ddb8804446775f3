-- Names are quoted whether they need it or not: PL/pgSQL reads old.by as something else than the field.
-- The setting instead of service.uid(): any role that may write the table comes through here, whatever it may call.
create or replace function service_private.stamp_body(names text[], types text[], stamps text[], soft_delete text) returns text
  language sql immutable
begin atomic
  with stamp as (
    select s.n, format('"%s"', replace(s.name, '"', '""')) as name, s.stamp,
      case
        when s.stamp like 'on\_%' then
          case s.type when 'timestamp with time zone' then 'now()' else 'now() at time zone ''UTC''' end
        -- An account whose id is no uuid leaves none.
        when s.type = 'uuid' then
          'case when caller ~ ''^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'' then caller::uuid end'
        else 'caller' end as value
    from unnest(names, types, stamps) with ordinality s (name, type, stamp, n)
  ), assignment as (
    select
      string_agg(format('new.%s := %s;', s.name, s.value), E'\n' order by s.n) as on_insert,
      string_agg(format('new.%s := %s;', s.name, case s.stamp when 'user_on_update' then s.value else 'old.' || s.name end),
        E'\n' order by s.n) filter (where s.stamp <> 'on_update') as on_update,
      string_agg(format('new.%s := %s;', s.name, case when soft_delete is null then s.value
        else service_private.fill('case when old.<deleted> is null and new.<deleted> is not null then old.<name> else <value> end',
          'deleted', format('"%s"', replace(soft_delete, '"', '""')), 'name', s.name, 'value', s.value) end),
        E'\n' order by s.n) filter (where s.stamp = 'on_update') as moved
    from stamp s
  )
  select E'\n' || service_private.fill($$
    declare
      caller text := nullif(current_setting('app.uid', true), '');
    begin
      -- A request never sets a stamp. Writers outside of a request, such as a migration or a restore, may bring old
      -- ones along.
      if caller is not null or current_user = 'service_user' then
        caller := nullif(caller, 'anonymous');
        if tg_op = 'INSERT' then
          <on_insert>
        else
          <on_update>
        end if;
      end if;
      <when_updated?>
      return new;
    end
  $$,
  'on_insert', a.on_insert, 'on_update', coalesce(a.on_update, 'null;'),
  'when_updated', case when a.moved is not null then service_private.fill($$
    if tg_op = 'UPDATE' then
      <moved>
    end if;
  $$, 'moved', a.moved) end) || E'\n'
  from assignment a;
end;

comment on function service_private.stamp_body(text[], text[], text[], text) is
  'The PL/pgSQL of the trigger function that stamps columns of these names and types (without length): on_create, on_update (the '
  'time), user_on_create, user_on_update (the caller''s uid, null without a sign-in). soft_delete: the column that a soft delete '
  'sets, which moves no on_update.';

-- The setting instead of service.uid(): any role that may write the table comes through here, whatever it may call.
create or replace function service.stamp_body(names text[], types text[], stamps text[], soft_delete text) returns text
  language sql immutable
begin atomic
  with stamp as (
    select s.n, quote_ident(s.name) as name, s.stamp,
      case
        when s.stamp like 'on\_%' then case s.type when 'timestamp with time zone' then 'now()' else 'now() at time zone ''UTC''' end
        -- An account whose id is no uuid leaves none.
        when s.type = 'uuid' then 'case when caller ~ ''^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'' then caller::uuid end'
        else 'caller' end as value
    from unnest(names, types, stamps) with ordinality s (name, type, stamp, n)
  ), assignment as (
    select string_agg(format('      new.%s := %s;', a.name, a.value), E'\n' order by a.n) as created,
      string_agg(format('      new.%s := %s;', a.name, case a.stamp when 'user_on_update' then a.value else 'old.' || a.name end), E'\n' order by a.n) filter (where a.stamp <> 'on_update') as kept,
      string_agg(format('    new.%s := %s;', a.name, case when soft_delete is null then a.value
        else format('case when old.%1$I is null and new.%1$I is not null then old.%2$s else %3$s end', soft_delete, a.name, a.value) end), E'\n' order by a.n) filter (where a.stamp = 'on_update') as moved
    from stamp a
  )
  select concat_ws(E'\n', '',
    'declare',
    '  caller text := nullif(current_setting(''app.uid'', true), '''');',
    'begin',
    '  -- A request never says a stamp. Who works on the table outside of one, a migration or a restore, may bring old ones along.',
    '  if caller is not null or current_user = ''service_user'' then',
    '    caller := nullif(caller, ''anonymous'');',
    '    if tg_op = ''INSERT'' then',
    a.created,
    '    else',
    coalesce(a.kept, '      null;'),
    '    end if;',
    '  end if;',
    E'  if tg_op = ''UPDATE'' then\n' || a.moved || E'\n  end if;',
    '  return new;',
    'end ')
  from assignment a;
end;

comment on function service.stamp_body(text[], text[], text[], text) is
  'The PL/pgSQL of the trigger function that stamps columns of these names and types (without length): on_create, on_update (the time), user_on_create, user_on_update (the caller''s uid, null without a sign-in). soft_delete: the column that a soft delete sets, which moves no on_update.';

revoke all on function service.stamp_body(text[], text[], text[], text) from public;

-- An exception without a class of its own is the author's refusal; every other error goes on as it is.
-- A soft delete is an update that sets the stamp: it runs the delete stages and not the save stages.
create or replace function service.callback_body(collection text, key text[], names text[], hook text, function_name text, soft_delete text) returns text
  language sql immutable
begin atomic
  with part as (
    select case when soft_delete is not null then format('tg_op = ''UPDATE'' and old.%1$I is null and new.%1$I is not null', soft_delete) end as stamped,
      case when hook like 'before%' then 'new' else 'null' end as nothing,
      case hook
        when 'beforeSave' then format('returned := %s(tg_op, stored, sent);', function_name)
        when 'afterSave' then format('perform %s(tg_op, stored, sent);', function_name)
        when 'beforeDelete' then format('allowed := %s(to_jsonb(old));', function_name)
        when 'afterDelete' then format('perform %s(to_jsonb(old));', function_name)
      end as call
  )
  select concat_ws(E'\n', '',
    case when hook like '%Save' then E'declare\n  stored jsonb := case tg_op when ''UPDATE'' then to_jsonb(old) end;\n  sent jsonb := to_jsonb(new);' end,
    case hook when 'beforeSave' then '  returned jsonb;' when 'beforeDelete' then E'declare\n  allowed boolean;' end,
    'begin',
    case
      when hook like '%Save' and p.stamped is not null then format(E'  if %s then\n    return %s;\n  end if;', p.stamped, p.nothing)
      when hook like '%Delete' and p.stamped is not null then format(E'  if tg_op = ''UPDATE'' and not (%s) then\n    return %s;\n  end if;', p.stamped, p.nothing)
    end,
    E'  if pg_trigger_depth() > 16 then\n    perform service.refuse_recursion();\n  end if;',
    format(E'  begin\n    %s\n  exception when raise_exception then\n    perform service.reject_callback(%L, %L, 400, sqlerrm);\n  end;', p.call, collection, hook),
    case hook
      when 'beforeSave' then format(E'  if returned is null then\n    return new;\n  end if;\n  return jsonb_populate_record(new, service.returned_columns(%L, %L, %L, stored, sent, returned));', collection, key, names)
      when 'beforeDelete' then format(E'  if allowed is false then\n    perform service.reject_callback(%L, %L, 403, ''The row may not be deleted.'');\n  end if;\n  return %s;', collection, hook,
        case when p.stamped is null then 'old' else 'case tg_op when ''UPDATE'' then new else old end' end)
      else '  return null;'
    end,
    'end ')
  from part p;
end;

comment on function service.callback_body(text, text[], text[], text, text, text) is
  'The PL/pgSQL of the trigger function that calls one callback of a collection.';

revoke all on function service.callback_body(text, text[], text[], text, text, text) from public;

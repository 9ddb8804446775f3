-- With the rights of the caller, which is the service's owner: the functions are those that its settings name. A
-- function that no longer exists is an error, because it may have been there to refuse.
create or replace function service_private.call_account_hook(hook text, arguments text[]) returns jsonb
  language plpgsql volatile as $$
declare
  named constant text := (select h.function from service.account_hooks h where h.hook = call_account_hook.hook);
  statement constant text := (
    select format('select nullif(%I.%I(%s)::text, %L)::jsonb', n.nspname, p.proname,
      (select string_agg(format('$1[%s]::%s', t.place, t.type), ', ' order by t.place)
       from service_private.account_hook_kinds() k, unnest(k.arguments) with ordinality t (type, place)
       where k.hook = call_account_hook.hook), '')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.oid = service_private.account_hook_function(call_account_hook.hook, named));
  answer jsonb;
begin
  if named is null then
    return null;
  elsif statement is null then
    raise exception 'The hook % has lost its function %.', hook, named using errcode = 'internal_error';
  end if;
  begin
    execute statement into answer using arguments;
  exception when raise_exception then
    perform service.fail(403, 'FORBIDDEN', sqlerrm);
  end;
  return answer;
end $$;

comment on function service_private.call_account_hook(text, text[]) is
  'The result of a hook''s function; null where none is named, or where it returns nothing. An exception without a class of its own '
  '(P0001) refuses: GW403 FORBIDDEN with its message.';

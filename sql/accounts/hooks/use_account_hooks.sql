create or replace function service_private.use_account_hooks(functions jsonb) returns table (hook text, problem text)
  language plpgsql volatile as $$
begin
  return query
  select k.hook, format('there is no function %s(%s) returns %s', f.value, array_to_string(k.arguments, ', '), k.result)
  from jsonb_each_text(functions) f
  join service_private.account_hook_kinds() k on k.hook = f.key
  where service_private.account_hook_function(k.hook, f.value) is null;
  if found then
    return;
  end if;
  delete from service.account_hooks h where not functions ? h.hook;
  insert into service.account_hooks as h (hook, function)
  select f.key, f.value from jsonb_each_text(functions) f
  on conflict on constraint account_hooks_pkey do update set function = excluded.function where h.function <> excluded.function;
end $$;

comment on function service_private.use_account_hooks(jsonb) is
  'From now on these functions take part: {hook: name of the function}, and no others. Each must be there with the signature of its hook '
  '(service_private.account_hook_kinds); where one is not nothing changes, and a row says what is wrong.';

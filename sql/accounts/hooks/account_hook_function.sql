create or replace function service_private.account_hook_function(hook text, function text) returns regprocedure
  language sql stable
begin atomic
  select p.oid::regprocedure
  from service_private.account_hook_kinds() k
  join pg_proc p on p.oid = service_private.named_function(function, k.arguments)
  where k.hook = account_hook_function.hook and p.prokind = 'f' and not p.proretset and p.prorettype = to_regtype(k.result);
end;

comment on function service_private.account_hook_function(text, text) is
  'The function of this name with the signature of the hook; null without one.';

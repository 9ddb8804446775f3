create or replace function service_private.caller_function(function text, result regtype) returns table (called text, problem text)
  language plpgsql stable set jit = off as $$
declare
  named constant regprocedure := service_private.named_function(function, '{jsonb}');
  of record;
begin
  select n.nspname, p.proname, p.prokind, p.proretset, p.prorettype into of
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.oid = named;
  if not found or of.prokind <> 'f' or of.proretset or of.prorettype <> result then
    problem := format('there is no function %s(jsonb) returns %s', function, result);
  elsif not has_schema_privilege('service_user', of.nspname, 'usage') or not has_function_privilege('service_user', named, 'execute') then
    problem := format('service_user may not call %s', named);
  else
    called := format('%I.%I', of.nspname, of.proname);
  end if;
  return next;
end $$;

comment on function service_private.caller_function(text, regtype) is
  'The function of this name that takes jsonb, returns that type and may be called as a request''s caller: SQL text of its name, or what '
  'is wrong with it.';

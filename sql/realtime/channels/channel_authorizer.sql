create or replace function service.channel_authorizer(function text) returns table (statement text, problem text)
  language plpgsql stable set jit = off as $$
declare
  named constant regprocedure := to_regprocedure(format('%s(jsonb)', function));
  of record;
begin
  select n.nspname, p.proname, p.prokind, p.proretset, p.prorettype into of
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.oid = named;
  if not found or of.prokind <> 'f' or of.proretset or of.prorettype <> 'boolean'::regtype then
    problem := format('there is no function %s(jsonb) returns boolean', function);
  elsif not has_schema_privilege('service_user', of.nspname, 'usage') or not has_function_privilege('service_user', named, 'execute') then
    problem := format('service_user may not call %s', named);
  else
    statement := service.fill($sql$
      select a.allowed
      from (select service.enter($1, $2, $3, $4, $5) as ok offset 0) ctx
      cross join lateral (select <function>($6::text::jsonb) as allowed where ctx.ok offset 0) a
    $sql$, 'function', format('%I.%I', of.nspname, of.proname));
  end if;
  return next;
end $$;

comment on function service.channel_authorizer(text) is
  'The statement by which a gateway asks the function of this name whether a caller ($1 to $5) may do something in a channel ($6), or what '
  'is wrong with it.';

revoke all on function service.channel_authorizer(text) from public;

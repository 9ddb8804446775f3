-- The first reason counts. Overloads are counted whether they are endpoints or not: a call could mean either.
create or replace function service_private.endpoint_problem(function oid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  called pg_proc := (select p from pg_proc p where p.oid = endpoint_problem.function);
  schema_name text := (select n.nspname from pg_namespace n where n.oid = called.pronamespace);
  returned pg_type := (select t from pg_type t where t.oid = called.prorettype);
  found text;
begin
  if called.prokind <> 'f' then
    return case called.prokind when 'p' then 'it is a procedure' else 'it is an aggregate or a window function' end;
  elsif exists (
      select from pg_proc o where o.pronamespace = called.pronamespace and o.proname = called.proname and o.oid <> called.oid)
  then
    return format('schema %I has several functions of this name', schema_name);
  end if;
  select p.problem into found
  from service_private.endpoint_arguments(called.oid) a
  cross join (select count(*) from service_private.endpoint_arguments(called.oid)) c
  join pg_type t on t.oid = a.type
  cross join lateral (
    select case
      when t.typtype = 'p' then format('its argument %s is of type %s', coalesce(a.argument, '$' || a.n), format_type(a.type, null))
      when a.argument is null and not (a.type in ('json'::regtype, 'jsonb'::regtype) and not a.is_variadic and c.count = 1)
        then format('its argument $%s has no name', a.n)
      when exists (
          select from service_private.endpoint_arguments(called.oid) o
          where o.n <> a.n and (a.name in (o.name, o.argument) or a.argument = o.name))
        then format('two of its arguments are named %s', a.name)
      when not has_schema_privilege('service_user', t.typnamespace, 'usage')
        then format('service_user may not use schema %s, which the type of its argument %s is in', t.typnamespace::regnamespace,
          coalesce(a.argument, '$' || a.n))
    end) p (problem)
  where p.problem is not null
  order by a.n
  limit 1;
  if found is not null then
    return found;
  elsif called.prorettype <> 'void'::regtype and returned.typtype = 'p'
    and not (called.prorettype = 'record'::regtype and coalesce(called.proargmodes, '{}') && '{o,b,t}'::"char"[])
    or (called.prorettype = 'void'::regtype and called.proretset)
  then
    return format('it returns %s%s', case when called.proretset then 'setof ' end, format_type(called.prorettype, null));
  end if;
  found := (
    select case when count(*) > 1 then format('two of its columns are named %s', c.name) end
    from service_private.endpoint_columns(called.oid) c group by c.name order by 1 nulls last limit 1);
  found := coalesce(found, (
    select format('its column %s is of type %s', c.column_name, format_type(c.type, null))
    from service_private.endpoint_columns(called.oid) c join pg_type t on t.oid = c.type where t.typtype = 'p' limit 1));
  if found is not null then
    return found;
  elsif not exists (select from service_private.endpoint_columns(called.oid)) and (called.proretset
    or exists (select from pg_type t where t.oid = service_private.base_type(called.prorettype) and t.typtype = 'c'))
  then
    return 'its rows have no columns';
  elsif not has_schema_privilege('service_user', called.pronamespace, 'usage') then
    return format('service_user may not use schema %I: grant usage on schema %I to service_user', schema_name, schema_name);
  elsif not has_function_privilege('service_user', called.oid, 'execute') then
    return format('service_user may not call it: grant execute on function %s to service_user', service_private.function_name(called.oid));
  end if;
  return null;
end $$;

comment on function service_private.endpoint_problem(oid) is
  'Why a function cannot be served, in words that finish "is not served: …"; null where it can.';

-- A call by names finds a variadic function only with all of its arguments, so that defaults are written out. Identifiers are the
-- catalog's; the values are columns of given (service_private.given_arguments).
create or replace function service_private.function_call(shape jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  endpoint record := service_private.called_endpoint(shape);
begin
  return (
    select format('%I.%I(%s)', n.nspname, p.proname, (
      select string_agg(concat(case when a.is_variadic then 'variadic ' end,
        case when a.argument is not null then format('%I => ', a.argument) end,
        case when s.n is null then pg_get_function_arg_default(p.oid, a.place::integer) else format('given.%I', 'a' || a.n) end),
        ', ' order by a.n)
      from service_private.endpoint_arguments(p.oid) a
      left join service_private.sent_arguments(shape) s on s.n = a.n
      where s.n is not null or p.provariadic <> 0))
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.oid = endpoint.oid);
end $$;

comment on function service_private.function_call(jsonb) is
  'SQL text of the call of a shape''s function, with the arguments that are sent; the others have their defaults.';

create or replace function service_private.callbacks(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (
    schema_name text, table_name text, relation oid, collection text, key text[], names text[], soft_delete text,
    hook text, suffix text, trigger_name text, events integer,
    function_schema text, function_name text, arguments text, result text, oid oid, fits boolean)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with named as (
    select t.schema_name, t.table_name, t.oid, t.collection, t.key, s.key as names, t.soft_delete, h.*,
      coalesce(service_private.name_parts(c.value), array[c.value]) as parts
    from unnest(wanted_tables) t
    join service.collections s on s.slug = t.collection
    cross join jsonb_each_text(s.callbacks) c
    join service_private.hooks() h on h.hook = c.key
  )
  select n.schema_name, n.table_name, n.oid, n.collection, n.key, n.names, n.soft_delete, n.hook, n.suffix, n.trigger_name, n.events,
    f.schema_name, f.function_name, n.arguments, n.result,
    p.oid, p.oid is not null and format_type(p.prorettype, null) = n.result and not p.proretset
  from named n
  cross join lateral (
    select case cardinality(n.parts) when 2 then n.parts[1] else 'public' end as schema_name,
      n.parts[cardinality(n.parts)] as function_name) f
  left join pg_namespace s on s.nspname = f.schema_name
  left join pg_proc p on p.pronamespace = s.oid and p.proname = f.function_name and p.prokind = 'f'
    and oidvectortypes(p.proargtypes) = regexp_replace(n.arguments, '\w+ (\w+)', '\1', 'g');
end $$;

comment on function service_private.callbacks(service_private.wanted_table[]) is
  'The callbacks of the collections and the functions behind them. A name without a schema is in public. key: the key''s columns, '
  'names: their properties. oid is null when there is no function with these arguments; fits says that it returns what it should.';

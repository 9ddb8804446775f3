create or replace function service_private.key_conditions(collection text, alias text, id text) returns text[]
  language plpgsql stable as $$
begin
  return (
    -- Without a key nothing has an id.
    select case when count(*) > 1 then array[format('cardinality(service_private.id_parts(%s::text)) = %s', id, count(*))] else '{}' end
      || coalesce(array_agg(
        format('%s.%I %s %s', alias, p.column_name, service_private.operator_name(p.sql_type, '='),
          case
            when cardinality(c.key) = 1 and p.sql_type <> 'bytea' and not service_private.is_composite(p.sql_type)
              then service_private.typed(id, p.sql_type)
            else format(case when p.sql_type = 'bytea' then 'service_private.bytes(%1$s, null)'
                when service_private.is_composite(p.sql_type) then 'service_private.composite(%1$s::jsonb, null::%2$s, null)'
                  else '%1$s::%2$s' end,
              case cardinality(c.key) when 1 then format('%s::text', id)
                else format('(service_private.id_parts(%s::text))[%s]', id, k.n) end, p.sql_type)
          end)
        order by k.n), '{false}')
    from service.collections c, unnest(c.key) with ordinality k (name, n)
      join service.properties p on p.name = k.name
    where c.slug = key_conditions.collection and p.collection = key_conditions.collection);
end $$;

comment on function service_private.key_conditions(text, text, text) is
  'SQL text, as conditions, of "this row has that id" (SQL text of it, $7). The parts of a composite key stand in one text '
  '(service_private.id_parts).';

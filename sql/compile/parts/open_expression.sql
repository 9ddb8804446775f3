-- A value that is not of the form of its definition becomes null: it is unknown which of its parts are closed.
create or replace function service_private.open_expression(value text, closed jsonb, depth integer default 1) returns text
  language plpgsql immutable as $$
declare
  item constant text := format('e%s.item', depth);
  names text[];
begin
  if closed is null or closed = 'null' then
    return value;
  elsif closed ? 'parts' then
    names := array(select p.key from jsonb_each(closed -> 'parts') p where jsonb_typeof(p.value) = 'string' order by p.key);
    return service_private.fill('case jsonb_typeof(<value>) when ''object'' then <parts> end',
      'value', value,
      'parts', concat_ws(' || ',
        case when names = '{}' then value else format('(%s - %L::text[])', value, names) end,
        (
          select string_agg(service_private.fill('case when <value> ? <name> then jsonb_build_object(<name>, <part>) else ''{}'' end',
            'value', open_expression.value, 'name', quote_literal(p.name),
            'part', service_private.open_expression(format('(%s -> %L)', open_expression.value, p.name), p.within, depth)),
              ' || ' order by p.name)
          from jsonb_each(closed -> 'parts') p (name, within)
          where jsonb_typeof(p.within) = 'object')));
  end if;
  return service_private.fill($sql$
    case jsonb_typeof(<value>) when 'array' then (
      select coalesce(jsonb_agg(<item> order by e<depth>.n), '[]')
      from jsonb_array_elements(<value>) with ordinality e<depth> (item, n)) end
    $sql$,
    'value', value, 'depth', depth::text,
    'item', case when closed ? 'items' then service_private.open_expression(item, closed -> 'items', depth + 1)
      else service_private.open_block(item, closed, depth + 1) end);
end $$;

comment on function service_private.open_expression(text, jsonb, integer) is
  'SQL text of a value (SQL text, jsonb) without what is closed in it (service_private.closed_parts); the value itself when nothing is. '
  'depth: of the arrays around it, which have names by it.';

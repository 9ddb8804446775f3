create or replace function service_private.filled_map(sent text, attributes jsonb) returns text
  language plpgsql immutable parallel safe as $$
declare
  defaults constant jsonb := (
    select jsonb_object_agg(p.key, p.value -> 'defaultValue')
    from jsonb_each(attributes -> 'properties') p
    where p.value ? 'defaultValue');
  filled constant text := (
    select string_agg(service_private.fill('case when <sent> ? <key> then jsonb_build_object(<key>, <filled>) else ''{}'' end',
      'sent', filled_map.sent, 'key', quote_literal(p.key), 'filled', f.part), ' || ' order by p.key)
    from jsonb_each(attributes -> 'properties') p
    cross join lateral (select format('(%s -> %L)', filled_map.sent, p.key)) i (part)
    cross join lateral (select service_private.filled_map(i.part, p.value)) f (part)
    where p.value ->> 'type' = 'map' and f.part <> i.part);
begin
  return case when coalesce(defaults::text, filled) is null then sent
    else service_private.fill('case jsonb_typeof(<sent>) when ''object'' then <parts> else <sent> end',
      'sent', sent, 'parts', concat_ws(' || ', quote_literal(defaults) || '::jsonb', sent, filled)) end;
end $$;

comment on function service_private.filled_map(text, jsonb) is
  'SQL text of a sent map (SQL text, jsonb) with the defaults of the parts that it lacks, maps in it included; sent itself where the '
  'attributes of its property declare none.';

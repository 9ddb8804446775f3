-- A function takes 100 arguments. json that jsonb cannot hold (\u0000) must not keep a row from being written: it is kept as text.
create or replace function service_private.snapshot(served service.collections, alias text) returns text
  language sql stable
begin atomic
  select string_agg(p.part, E'\n|| ' order by p.n)
  from (
    select (c.place - 1) / 50 as n,
      format(E'jsonb_build_object(\n  %s)', string_agg(format('%L, %s', c.column_name, service_private.indented(
        case c.sql_type when 'json' then format('%s.%I::text', alias, c.column_name)
          else service_private.column_value(service_private.open_expression(format('%s.%I', alias, c.column_name), c.closed),
            c.sql_type) end, 2)),
        E',\n  ' order by c.place)) as part
    from (
      select h.column_name, h.sql_type, service_private.closed_parts_of(h, null, 'record') as closed,
        row_number() over (order by h.position, h.name) as place
      from service_private.history_columns(served) h) c
    group by 1) p;
end;

comment on function service_private.snapshot(service.collections, text) is
  'SQL text of a row as entries of history keep it, jsonb: columns under their own names, values as the API shows them, json as text.';

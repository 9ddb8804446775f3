-- Asked for only by who is answered with the row: without it nothing of the row is read, so that who may write and not
-- read can.
create or replace function service_private.written_id(served service.collections) returns text
  language sql stable
begin atomic
  select string_agg(
    case when cardinality(served.key) = 1 then e.part
      else service_private.fill('replace(replace(<part>, ''%'', ''%25''), '':'', ''%3A'')', 'part', e.part) end,
    ' || '':::'' || ' order by k.n)
  from unnest(served.key) with ordinality k (name, n)
  join service.properties p on p.collection = served.slug and p.name = k.name
  cross join lateral (
    select case
      when p.sql_type = 'bytea' then service_private.scalar_value(format('t.%I', p.column_name), p.sql_type)
      when service_private.is_composite(p.sql_type) then format('to_json(t.%I)::text', p.column_name)
      else format('t.%I::text', p.column_name)
    end as part) e;
end;

comment on function service_private.written_id(service.collections) is
  'SQL text of the id of a row, t, as service_private.id_parts takes it apart.';

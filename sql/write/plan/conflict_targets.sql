-- A column that a caller cannot read is not listed.
create or replace function service_private.conflict_targets(served service.collections, roles text[]) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(to_jsonb(t.names) order by cardinality(t.names), t.names), '[]')
  from (
    select array_agg(p.name order by p.position) as names
    from service_private.unique_columns(served) u
    cross join lateral unnest(u.columns) c (name)
    left join service.properties p on p.collection = served.slug and p.column_name = c.name
      and service_private.filterable(p, roles) and not p.excluded
    group by u.columns
    having bool_and(p.name is not null)) t;
end;

comment on function service_private.conflict_targets(service.collections, text[]) is
  'The possible targets of an upsert, for callers with these roles: [[names]].';

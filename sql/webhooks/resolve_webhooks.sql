create or replace function service_private.resolve_webhooks() returns void
  language sql volatile set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with found as (
    select w.id, r.relation, k.key, d.soft_delete, j.may_hold_json
    from service.webhooks w
    cross join lateral (select to_regclass(format('%I.%I', w.schema_name, w.table_name)) as relation) r
    cross join lateral (
      select array(
        select a.attname::text
        from service_private.table_keys(array[r.relation::oid]) t
        cross join unnest(t.key) with ordinality p (number, n)
        join pg_attribute a on a.attrelid = r.relation and a.attnum = p.number
        order by p.n) as key) k
    cross join lateral (
      select min(service_private.deletion_stamp(c.slug)) as soft_delete
      from service.collections c
      where c.schema_name = w.schema_name and c.table_name = w.table_name) d
    -- Arrays, composite types, ranges and domains may hold json in turn.
    cross join lateral (
      select exists (
        select from pg_attribute a
        join pg_type t on t.oid = a.atttypid
        where a.attrelid = r.relation and a.attnum > 0 and not a.attisdropped
          and (t.typtype not in ('b', 'e') or t.typcategory = 'A' or t.oid = 'json'::regtype)) as may_hold_json) j)
  update service.webhooks w set relation = f.relation, key = f.key, soft_delete = f.soft_delete, may_hold_json = f.may_hold_json
  from found f
  where w.id = f.id
    and (w.relation, w.key, w.soft_delete, w.may_hold_json) is distinct from (f.relation, f.key, f.soft_delete, f.may_hold_json);
end;

comment on function service_private.resolve_webhooks() is
  'Looks up the tables of service.webhooks, their keys, the columns that a soft delete sets, and whether one may hold json. Called by '
  'each start, and when tables have changed.';

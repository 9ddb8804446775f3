create or replace function service.is_plain(served service.collections, op text, plan jsonb) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select not plan ?| array['missing', 'twice', 'stamp', 'raw']
      and not (op = 'update' and plan ? 'sentKey')
      and not jsonb_path_exists(plan, '$.fields[*] ? (exists (@.rules) || exists (@.stamp))')
      and (op = 'delete' or not served.callbacks ? 'afterRead')
      and exists (
        select from pg_class c
        where c.oid = to_regclass(service.table_name(served.slug)) and c.relkind = 'r' and not c.relhasrules
          -- A trigger after the row: not before (2), not instead (64), for inserts (4) or updates (16).
          and (op = 'delete' or not exists (
            select from pg_trigger g
            where g.tgrelid = c.oid and not g.tgisinternal and g.tgtype & 66 = 0
              -- The history of the row changes nothing about it.
              and not (g.tgname = '_910_history' and exists (
                select from pg_proc f where f.oid = g.tgfoid and f.pronamespace = 'service'::regnamespace))
              and g.tgtype & case when plan ? 'target' then 20 when op = 'create' then 4 else 16 end <> 0))));
end $$;

comment on function service.is_plain(service.collections, text, jsonb) is
  'Whether a write of this plan has nothing to it but types, lengths and what must not be null: no fields with rules, '
  'no keys that an update sends, no views, partitioned tables, rules (of tables); nor, but for a delete, triggers after the row '
  'other than that of history, or afterRead.';

revoke all on function service.is_plain(service.collections, text, jsonb) from public;

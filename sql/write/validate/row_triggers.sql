create or replace function service_private.row_triggers(served service.collections, op text) returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select array_agg(g.tgname::text order by g.tgname)
  from pg_trigger g
  join pg_proc f on f.oid = g.tgfoid and f.pronamespace <> 'service_private'::regnamespace
  -- For each row (1), before (2); insert (4), delete (8), update (16), which a soft delete is.
  where g.tgrelid = to_regclass(service_private.table_name(served.slug)) and not g.tgisinternal and g.tgenabled <> 'D'
    and g.tgtype & 3 = 3 and g.tgtype & case when op = 'create' then 4
      when op = 'delete' and service_private.deletion_stamp(served.slug) is null then 8
      else 16 | case op when 'delete' then 8 else 0 end end <> 0;
end;

comment on function service_private.row_triggers(service.collections, text) is
  'The triggers that may keep a row from being written (op: create, update, delete) by returning null, but for those '
  'of callbacks; null when there are none.';

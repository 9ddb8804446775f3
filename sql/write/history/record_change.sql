-- Measured: 45 to 60 microseconds an insert, half of that for the entry's own row and its indexes, the rest for the snapshot and
-- the look at the entry before; an update costs a second snapshot and 12 microseconds for the difference. A trigger for each
-- statement costs the same for one row (70 to 66) and 0.6 of it for each of 10,000; but its tables of old and new rows do not say
-- which belong together once a key changes, and a partition that is written directly would not run it.
-- A session keeps the plans that it made while there were few entries, when reading all of them looked as good as the index: 10,000
-- rows took 60 s.
-- Age is looked at once a day and row, so that a change costs no look at the oldest entries.
create or replace function service.record_change(collection text, key text, stamp text, was jsonb, became jsonb) returns void
  language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  entity constant text := coalesce(became ->> key, was ->> key);
  kind text := case when was is null then 'create'
    when became is null or (was ->> stamp is null and became ->> stamp is not null) then 'delete'
    else 'update' end;
  difference jsonb;
  last record;
  place integer;
begin
  if was ->> key <> became ->> key then
    perform service.record_change(collection, key, stamp, was, null), service.record_change(collection, key, stamp, null, became);
    return;
  elsif kind = 'update' then
    difference := (
      select jsonb_object_agg(o.key, o.value)
      from jsonb_each(was) o
      where o.value is distinct from became -> o.key
      having not bool_and(starts_with(o.key, '__')));
  end if;
  if entity is null or (kind = 'update' and difference is null) then
    return;
  end if;
  select h.number, h.updated_at, h.transaction_id into last
    from service.history h
    where h.collection = record_change.collection and h.entity_id = entity
    order by h.number desc limit 1;
  place := coalesce(last.number, 0) + 1;
  if last.transaction_id = pg_current_xact_id() then
    place := service.history_place(collection, entity, stamp, was, became, last.number);
  end if;
  insert into service.history (collection, entity_id, number, action, snapshot, previous, updated_by)
  values (collection, entity, place, kind, case kind when 'delete' then was else became end, difference,
    nullif(nullif(current_setting('app.uid', true), ''), 'anonymous'));
  if place > 200 then
    delete from service.history h
      where h.collection = record_change.collection and h.entity_id = entity and h.number = place - 200;
  end if;
  if last.updated_at < now() - interval '1 day' then
    delete from service.history h
      where h.collection = record_change.collection and h.entity_id = entity
        and (h.number <= place - 200 or h.updated_at < now() - interval '90 days');
  end if;
end $$;

comment on function service.record_change(text, text, text, jsonb, jsonb) is
  'Writes the entry of a change into service.history, if there is a difference, and removes the row''s oldest: those before its '
  'newest 200, and once a day those of more than 90 days. key: the key''s column, stamp: that of a soft delete; was, became: '
  'service.snapshot of the row before and after, null where there is none. Another key makes it another row. Called by the generated '
  'triggers, as the owner.';

revoke all on function service.record_change(text, text, text, jsonb, jsonb) from public;

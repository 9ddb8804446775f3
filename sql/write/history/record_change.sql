-- Measured on rows of 11 columns, a million entries there, beside other work: 70 microseconds of CPU an insert and 115 an update among
-- 10,000, 140 and 210 in a statement of its own, for which PL/pgSQL prepares its expressions anew. Two fifths are for the entry's own
-- row and its indexes, a fifth each for the snapshots and for the look at the entry before. One statement instead of the look, the
-- difference and the insert was no faster (254 to 238).
-- A trigger for each statement costs as much for one row (70 to 66) and 0.6 of it for each of 10,000; but its tables of old and new
-- rows do not say which belong together once a key changes, and a partition that is written directly would not run it.
-- A session keeps the plans that it made while there were few entries, when reading all of them looked as good as the index: 10,000
-- rows took 60 s.
-- Age is looked at once a day and row, so that a change costs no look at the oldest entries.
create or replace function service_private.record_change(
  collection text, key text, stamp text, was jsonb, became jsonb, difference jsonb default null) returns boolean
  language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  entity constant text := coalesce(became ->> key, was ->> key);
  kind text := case when was is null then 'create'
    when became is null or (was ->> stamp is null and became ->> stamp is not null) then 'delete'
    else 'update' end;
  last record;
  place integer;
begin
  if was ->> key <> became ->> key then
    return service_private.record_change(collection, key, stamp, was, null)
      and service_private.record_change(collection, key, stamp, null, became);
  elsif entity is null or (kind = 'update' and not jsonb_path_exists(difference, '$.keyvalue() ? (!(@.key starts with "__"))')) then
    return false;
  end if;
  select h.number, h.updated_at, h.transaction_id into last
    from service.history h
    where h.collection = record_change.collection and h.entity_id = entity
    order by h.number desc limit 1;
  place := coalesce(last.number, 0) + 1;
  if last.transaction_id = pg_current_xact_id() then
    place := service_private.history_place(collection, entity, stamp, was, became, last.number);
  end if;
  insert into service.history (collection, entity_id, number, action, snapshot, previous, updated_by)
  values (collection, entity, place, kind, case kind when 'delete' then was else became end,
    case kind when 'update' then difference end,
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
  return true;
end $$;

comment on function service_private.record_change(text, text, text, jsonb, jsonb, jsonb) is
  'Writes the entry of a change into service.history, if there is a difference, and removes the row''s oldest: those before its '
  'newest 200, and once a day those of more than 90 days. key: the key''s column, stamp: that of a soft delete; was, became: '
  'service_private.snapshot of the row before and after, null where there is none; difference: service_private.difference. '
  'Another key makes it another row. False when there is nothing to write. Called by the generated triggers, as the owner.';

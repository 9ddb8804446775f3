-- A callback may write the row again: its entry comes first, since history is written after the callbacks. Then the row is not what
-- the newest entry left, and one of this transaction began with what this change makes.
create or replace function service_private.history_place(
  collection text, entity text, stamp text, was jsonb, became jsonb, newest integer) returns integer
  language plpgsql volatile as $$
declare
  place integer;
begin
  if not exists (
    select from service.history h
    where h.collection = history_place.collection and h.entity_id = entity and h.number = newest
      and case when was is null then h.action = 'delete' else h.snapshot - coalesce(stamp, '') = was - coalesce(stamp, '') end)
  then
    place := (
      select min(h.number)
      from service.history h
      where h.collection = history_place.collection and h.entity_id = entity
        and h.transaction_id = pg_current_xact_id() and h.action <> 'create' and h.snapshot || coalesce(h.previous, '{}') = became);
  end if;
  if place is null then
    return newest + 1;
  end if;
  update service.history h set number = h.number + 1
    where h.collection = history_place.collection and h.entity_id = entity and h.number >= place;
  return place;
end $$;

comment on function service_private.history_place(text, text, text, jsonb, jsonb, integer) is
  'The number of the entry of a change of a row that this transaction has changed before: behind its newest entry, or before those '
  'of callbacks that this change ran, which move up.';

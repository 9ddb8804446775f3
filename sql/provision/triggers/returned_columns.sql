-- Only what differs is written back, so that a value which JSON cannot hold exactly stays as it was sent. Run for every
-- row that has such a callback: one query and no more (the insert of a row takes 16 microseconds with the callback; with a
-- query for each question it took 24 to 36).
create or replace function service_private.returned_columns(
  collection text, key text[], names text[], stored jsonb, sent jsonb, returned jsonb) returns jsonb
  language plpgsql stable as $$
declare
  changed jsonb;
  unknown text;
begin
  select jsonb_object_agg(r.key, r.value), string_agg(r.key, ', ' order by r.key) filter (where not sent ? r.key)
    into changed, unknown
    from jsonb_each(returned) r where r.value is distinct from sent -> r.key;
  if changed is null then
    return '{}';
  elsif unknown is not null then
    raise exception using errcode = 'GW500', hint = 'INTERNAL_ERROR',
      message = format('beforeSave of %s returned keys that are no columns: %s', collection, unknown);
  elsif stored is not null and changed ?| returned_columns.key then
    perform service_private.keep_key(collection, returned_columns.key, names, stored, changed);
  end if;
  return changed;
end $$;

comment on function service_private.returned_columns(text, text[], text[], jsonb, jsonb, jsonb) is
  'The columns that the result of a beforeSave callback changes. key: the key''s columns, names: their properties. GW400 KEY_IMMUTABLE '
  'when an update would get another key, GW500 when a name is no column. Called by the generated triggers, as the writer.';

grant execute on function service_private.returned_columns(text, text[], text[], jsonb, jsonb, jsonb) to service_user;

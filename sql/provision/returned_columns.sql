-- Only what differs is written back, so that a value which JSON cannot hold exactly stays as it was sent.
create or replace function service.returned_columns(collection text, key jsonb, stored jsonb, sent jsonb, returned jsonb) returns jsonb
  language plpgsql stable as $$
declare
  changed jsonb := coalesce((select jsonb_object_agg(r.key, r.value) from jsonb_each(returned) r where r.value is distinct from sent -> r.key), '{}');
  unknown text := (select string_agg(k, ', ' order by k) from jsonb_object_keys(changed) k where not sent ? k);
  moved jsonb := (
    select jsonb_agg(jsonb_build_object('field', k.value, 'code', 'key_immutable', 'message', 'The key of a row cannot be changed.') order by k.value)
    from jsonb_each_text(returned_columns.key) k where stored is not null and changed ? k.key and changed ->> k.key is distinct from stored ->> k.key);
begin
  if unknown is not null then
    raise exception using errcode = 'GW500', hint = 'INTERNAL_ERROR', message = format('beforeSave of %s returned keys that are no columns: %s', collection, unknown);
  elsif moved is not null then
    raise exception using errcode = 'GW400', hint = 'KEY_IMMUTABLE', message = 'The key of a row cannot be changed.',
      detail = jsonb_build_object('collection', collection, 'violations', moved)::text;
  end if;
  return changed;
end $$;

comment on function service.returned_columns(text, jsonb, jsonb, jsonb, jsonb) is
  'Of what a beforeSave callback returned, the columns that it changes. key: column to property name. GW400 KEY_IMMUTABLE when an update would get another key, GW500 when a name is no column. Called by the generated triggers, as whoever writes.';

revoke all on function service.returned_columns(text, jsonb, jsonb, jsonb, jsonb) from public;
grant execute on function service.returned_columns(text, jsonb, jsonb, jsonb, jsonb) to service_user;

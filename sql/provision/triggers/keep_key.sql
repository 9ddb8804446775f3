create or replace function service_private.keep_key(collection text, key text[], names text[], stored jsonb, changed jsonb) returns void
  language plpgsql stable as $$
declare
  moved json := (
    select json_agg(
      json_build_object('field', k.name, 'code', 'key_immutable', 'message', 'The key of a row cannot be changed.') order by k.n)
    from unnest(keep_key.key, names) with ordinality k (column_name, name, n)
    where changed ? k.column_name and changed ->> k.column_name is distinct from stored ->> k.column_name);
begin
  if moved is not null then
    raise exception using errcode = 'GW400', hint = 'KEY_IMMUTABLE', message = 'The key of a row cannot be changed.',
      detail = json_build_object('collection', collection, 'violations', moved)::text;
  end if;
end $$;

comment on function service_private.keep_key(text, text[], text[], jsonb, jsonb) is
  'Refuses an update whose beforeSave callback returned another key: GW400 KEY_IMMUTABLE with {collection, violations}. Called by the '
  'generated triggers, as the writer.';

grant execute on function service_private.keep_key(text, text[], text[], jsonb, jsonb) to service_user;

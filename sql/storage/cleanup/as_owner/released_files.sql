create or replace function service_private.released_files(storage jsonb, id text, was text[], became text[]) returns setof jsonb
  language sql immutable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select distinct jsonb_build_object('storageId', storage -> 'storageId', 'bucket', storage -> 'bucket', 'key', m.part[2])
    || case when m.part[1] <> storage ->> 'bucket' then jsonb_build_object('namedBucket', m.part[1]) else '{}' end
  from unnest(was) w (value)
  cross join lateral regexp_match(w.value, '^(?:(?:local|s3|gs)://([^/]+)/|/?)([^/].*)$') m (part)
  where (became is null or w.value <> all (array_remove(became, null))) and service_private.is_plain_key(m.part[2])
    and m.part[2] ~ service_private.file_destination(storage, coalesce(id, ''));
end;

comment on function service_private.released_files(jsonb, text, text[], text[]) is
  'The files {storageId, bucket, key} that a row named before a write (was) and names no longer (became), by key or storageUrl. Only files '
  'under the path of the property count, and with {entityId} in it only those of this row. namedBucket: of a storageUrl that names '
  'another bucket, which may be the same by another name. storage: as declared, with storageId and bucket; id: of the row.';

grant execute on function service_private.released_files(jsonb, text, text[], text[]) to service_user;

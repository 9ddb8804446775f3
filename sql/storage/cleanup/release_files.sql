create or replace function service.release_files(source text, bucket text, was text[], became text[]) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  value text;
  file jsonb;
begin
  foreach value in array coalesce(was, '{}') loop
    continue when coalesce(value, '') = '' or value = any (became);
    file := case when value ~ '^(local|s3|gs)://[^/]+/.'
      then jsonb_build_object('storageId', source, 'bucket', split_part(value, '/', 3), 'key', substring(value from '://[^/]+/+(.*)$'))
      else jsonb_build_object('storageId', source, 'bucket', bucket, 'key', ltrim(value, '/')) end;
    perform service.put_job('service.storage_remove', file,
      jsonb_build_object('idempotencyKey', 'service.storage_remove ' || md5(file::text), 'maxAttempts', 50));
  end loop;
end $$;

comment on function service.release_files(text, text, text[], text[]) is
  'Has the files looked at that a row named before a write and names no longer: those that no row names are removed when the transaction '
  'has committed. Called by generated triggers, as the owner.';

revoke all on function service.release_files(text, text, text[], text[]) from public;

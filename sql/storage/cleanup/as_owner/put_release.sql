-- As the owner: the end-user role enqueues no other task of the service's.
create or replace function service_private.put_release(file jsonb) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if pg_trigger_depth() > 0 then
    perform service_private.put_job('service.storage_remove', file,
      jsonb_build_object('idempotencyKey', 'service.storage_remove ' || md5(file::text), 'maxAttempts', 50));
  end if;
end $$;

comment on function service_private.put_release(jsonb) is
  'Enqueues the removal of a file {storageId, bucket, key, namedBucket, caller}, as service_private.released_files has it. The job checks '
  'once more that it lies under the path of a property with cleanup and that no row names it, and, given a caller (the five values of '
  'service.enter), that this caller may delete it. Does nothing outside triggers.';

grant execute on function service_private.put_release(jsonb) to service_user;

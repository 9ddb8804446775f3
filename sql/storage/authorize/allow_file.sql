-- Where there are no rules one value says so: a record, as of service_private.authorize_file, costs more than all the rest.
create or replace function service_private.allow_file(caller text[], request jsonb) returns jsonb
  language plpgsql volatile as $$
declare
  entered boolean := service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
  operation constant text := request ->> 'operation';
  weighed record;
begin
  if operation in ('read', 'list') and service_private.allows_unruled(operation) then
    return null;
  end if;
  weighed := service_private.authorize_file(request);
  if weighed.status = 401 then
    perform service.fail(401, 'UNAUTHORIZED', 'Sign in to use this file.');
  elsif weighed.status = 403 then
    perform service.fail(403, 'FORBIDDEN', 'The rules of storage do not allow this to you.');
  end if;
  return weighed.bound;
end $$;

comment on function service_private.allow_file(text[], jsonb) is
  'Refuses actions on a file that this caller (the five values of service.enter) may not take. request: {key, operation (read, write, '
  'delete, list), bucket, storageId, size, contentType, fileName, collection, property, early}, of which the first two are required. '
  'early: for a write that will be authorized again when its size is known; functions of the project are not asked before. For a write of '
  'unknown size it returns the most bytes that it may have, {property, maxSize}; null for no bound. Errors: GW413 STORAGE_FILE_TOO_LARGE, '
  'GW400 STORAGE_FILE_TYPE_REFUSED, GW401 UNAUTHORIZED, GW403 FORBIDDEN, and those that functions of the project raise by service.fail.';

grant execute on function service_private.allow_file(text[], jsonb) to service_user;

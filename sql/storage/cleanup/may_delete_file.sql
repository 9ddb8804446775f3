-- A refusal is an answer here: the row itself may be written all the same.
create or replace function service_private.may_delete_file(file jsonb) returns boolean
  language plpgsql volatile as $$
declare
  source constant text := file ->> 'storageId';
  scopes constant jsonb := service.jwt() -> 'scopes';
  weighed record;
begin
  if service.uid() is null then
    return false;
  end if;
  if starts_with(service.uid(), 'api-key:') and not coalesce(scopes ?| array['storage:delete', 'storage:delete:' || source], false) then
    return false;
  end if;
  weighed := service_private.authorize_file(file - 'namedBucket' || '{"operation": "delete"}');
  return weighed.status is null;
exception when others then
  if sqlstate !~ '^GW' then
    raise;
  end if;
  return false;
end $$;

comment on function service_private.may_delete_file(jsonb) is
  'Whether the caller who entered may delete a file {storageId, bucket, key}, by the scopes of an API key and the rules of storage '
  '(service_private.authorize_file). False outside a request.';

grant execute on function service_private.may_delete_file(jsonb) to service_user;

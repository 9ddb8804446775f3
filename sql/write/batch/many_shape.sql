-- Where ids are the answer the key is read, and nothing else of a row that no other operation refers to.
create or replace function service.many_shape(request jsonb, is_minimal boolean) returns jsonb
  language sql stable
  return service.write_shape(case when is_minimal then request - 'return' || '{"ref": true}' else request end)
    || case when is_minimal and not request ? 'ref' then '{"fields": []}' else '{}' end::jsonb;

comment on function service.many_shape(jsonb, boolean) is
  'service.write_shape of one write among many, of which the row is answered, or for return=minimal its id.';

revoke all on function service.many_shape(jsonb, boolean) from public;
grant execute on function service.many_shape(jsonb, boolean) to service_user;

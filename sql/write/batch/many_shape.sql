-- Where ids are the answer the key is read, and nothing else of a row that no other operation refers to.
create or replace function service_private.many_shape(request jsonb) returns jsonb
  language sql stable
  return case when not request ? 'return' then service_private.write_shape(request)
    else service_private.write_shape(request - 'return' || '{"ref": true}')
      || case when request ? 'ref' then '{}' else '{"fields": []}' end::jsonb end;

comment on function service_private.many_shape(jsonb) is
  'service_private.write_shape of one write among many, of which the row is answered, or for return=minimal its id.';

grant execute on function service_private.many_shape(jsonb) to service_user;

create or replace function service_private.sent_bodies(request json) returns json[]
  language sql immutable parallel safe
  return array(
    select coalesce(i.item -> 'values', case when service_private.has_data_apart(i.item::jsonb) then i.item -> 'data' end, i.item)
    from json_array_elements(coalesce(request -> 'body' -> 'operations', request -> 'body' -> 'rows', request -> 'body' -> 'updates',
      request -> 'body' -> 'items')) with ordinality i (item, n)
    order by i.n);

comment on function service_private.sent_bodies(json) is
  'The bodies of the writes of a bulk request or a batch, each as it was sent.';

grant execute on function service_private.sent_bodies(json) to service_user;

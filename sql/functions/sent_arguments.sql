create or replace function service_private.sent_arguments(shape jsonb)
  returns table (n bigint, argument text, field text, type oid, is_variadic boolean)
  language plpgsql stable as $$
begin
  return query
    select a.n, a.argument, s.field, a.type, a.is_variadic
    from service_private.endpoint_arguments((service_private.called_endpoint(shape)).oid) a
    left join lateral (
      select f.field from jsonb_array_elements_text(shape #> '{call,sent}') f (field) where f.field in (a.name, a.argument)
      order by f.field = a.name desc limit 1) s on true
    where s.field is not null or (a.argument is null and shape #> '{call,sent}' = '[""]');
end $$;

comment on function service_private.sent_arguments(jsonb) is
  'The arguments that a call sends, by their wire names or their own, in order; field: the name in the body, null for an argument that is '
  'the body ({"sent": [""]}).';

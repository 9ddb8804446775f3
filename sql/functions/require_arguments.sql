create or replace function service_private.require_arguments(shape jsonb) returns void
  language plpgsql stable as $$
declare
  endpoint record := service_private.called_endpoint(shape);
  sent text[] := service_private.texts(shape #> '{call,sent}');
  takes_body boolean := endpoint.document ? 'body';
  unknown text[];
  wrong text[];
begin
  unknown := array(
    select f from unnest(sent) f
    where not (f = '' and takes_body)
      and not exists (select from service_private.endpoint_arguments(endpoint.oid) a where f in (a.name, a.argument)));
  if unknown <> '{}' then
    perform service.fail(400, 'VALIDATION_UNKNOWN_FIELDS', format('%s has no argument %s.', endpoint.name, array_to_string(unknown, ', ')),
      jsonb_build_object('function', endpoint.name, 'fields', unknown, 'validFields', (
        select coalesce(jsonb_agg(a.name order by a.n), '[]') from service_private.endpoint_arguments(endpoint.oid) a
        where a.argument is not null)));
  end if;
  wrong := array(
    select a.argument from service_private.endpoint_arguments(endpoint.oid) a
    where a.name <> a.argument and a.name = any (sent) and a.argument = any (sent) order by a.n);
  if wrong <> '{}' then
    perform service_private.refuse_arguments(endpoint.name, 'VALIDATION_INVALID_VALUE', wrong, 'twice', '%s is sent twice.');
  end if;
  wrong := array(
    select coalesce(a.name, '') from service_private.endpoint_arguments(endpoint.oid) a
    where a.is_required and not coalesce(a.name, '') = any (sent) and not coalesce(a.argument, '') = any (sent) order by a.n);
  if wrong <> '{}' then
    perform service_private.refuse_arguments(endpoint.name, 'VALIDATION_CONSTRAINT', wrong, 'required',
      case when takes_body then 'The body%s is required.' else '%s is required.' end);
  end if;
end $$;

comment on function service_private.require_arguments(jsonb) is
  'Checks the names that a call sends: GW400 VALIDATION_UNKNOWN_FIELDS {function, fields, validFields}, VALIDATION_INVALID_VALUE for one '
  'that is sent by both of its names, VALIDATION_CONSTRAINT for those that are missing, both {function, violations, messages}.';

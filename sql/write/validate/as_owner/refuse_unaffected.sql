-- Row security refuses a new row with an error, so a create without a row was kept by a trigger. An update or
-- delete may have been kept by either.
create or replace function service_private.refuse_unaffected(request jsonb, current text, moved text[] default null) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  op constant text := request ->> 'op';
  served service.collections;
  triggers text[];
  is_protected boolean;
begin
  select c.* into served from service.collections c where c.slug = request -> 'path' ->> 0;
  if op <> 'create' then
    perform service_private.require_found(request, current);
  end if;
  if moved is not null then
    perform service.fail(400, 'KEY_IMMUTABLE',
      format('%s is the key of %s and cannot be changed.', array_to_string(moved, ', '), served.slug),
      service_private.violation_details(served.slug, moved, 'key_immutable', 'The key of a row (%s) cannot be changed.'));
  end if;
  triggers := service_private.row_triggers(served, op);
  is_protected := (select c.relrowsecurity from pg_class c where c.oid = to_regclass(service_private.table_name(served.slug)));
  if op = 'create' or not is_protected then
    perform service.fail(403, 'CALLBACK_REJECTED',
      concat('A trigger kept the row from being written', ': ' || array_to_string(triggers, ', '), '.'),
      jsonb_strip_nulls(jsonb_build_object('path', served.slug, 'triggers', triggers)));
  end if;
  perform service.fail(403, 'WRITE_DENIED',
    concat('Row security does not let this caller write this row', ', or a trigger kept it: ' || array_to_string(triggers, ', '), '.'),
    jsonb_strip_nulls(jsonb_build_object('collection', served.slug, 'triggers', triggers)));
end $$;

comment on function service_private.refuse_unaffected(jsonb, text, text[]) is
  'Says why a write touched no row (current: as of service_private.require_found, whose errors it raises): GW400 KEY_IMMUTABLE when it '
  'would move the row''s key under these names, GW403 CALLBACK_REJECTED {path, triggers} where row security has no part in it, else '
  'WRITE_DENIED {collection, triggers}: triggers that may have returned null instead of the row.';

grant execute on function service_private.refuse_unaffected(jsonb, text, text[]) to service_user;

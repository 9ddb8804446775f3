-- Everything about a write that needs the catalog, which the end-user role cannot read: names and rules are checked
-- here, and what comes back is plain SQL that runs as the caller.
create or replace function service.write_plan(request jsonb, roles text[], uid text, wants_reply boolean,
  out statement text, out payload jsonb, out returns_key boolean, out visible text, out reply text)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  served service.collections;
  op text := request ->> 'op';
  key text;
begin
  perform service.path_collection(jsonb_build_array(request -> 'path' -> 0));
  select c.* into served from service.collections c where c.slug = request -> 'path' ->> 0;
  if served.read_only then
    perform service.fail(403, 'WRITE_DENIED', format('%s is read-only.', served.slug));
  end if;
  if op <> 'create' then
    perform service.require_key(served, request -> 'path' ->> 1);
  end if;
  key := substr(service.key_predicate(served.slug, 't', '2'), 6);
  visible := format('select ''{}''::json from %I.%I t where %s', served.schema_name, served.table_name, replace(key, '$2', '$1'));
  returns_key := op = 'create' and coalesce(request ->> 'return', '') <> 'minimal';
  if op <> 'delete' then
    payload := service.checked_body(served, op, request -> 'body', request -> 'path' ->> 1, roles, uid);
  end if;
  statement := case op
    when 'create' then service.insert_statement(served, payload, returns_key)
    when 'update' then service.update_statement(served, payload, key)
    when 'delete' then format('delete from %I.%I t where %s', served.schema_name, served.table_name, key)
  end;
  if op <> 'delete' and request ? 'fields' then
    perform service.require_response_fields(served.slug, request -> 'fields');
  end if;
  if wants_reply and op <> 'delete' then
    reply := (service.compile(jsonb_strip_nulls(jsonb_build_object('op', 'get', 'path', jsonb_build_array(served.slug, 2), 'fields', request -> 'fields')), roles)).statement;
  end if;
end $$;

comment on function service.write_plan(jsonb, text[], text, boolean) is
  'A write request checked and turned into SQL: the statement ($1 = payload, $2 = id), the values by column, whether the statement returns the new key, a probe for whether the row is visible ($1 = id), and the read of the reply. Errors as service.write.';

revoke all on function service.write_plan(jsonb, text[], text, boolean) from public;
grant execute on function service.write_plan(jsonb, text[], text, boolean) to service_user;

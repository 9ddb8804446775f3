create or replace function service_private.require_history(served service.collections) returns void
  language plpgsql stable as $$
begin
  if served.definition -> 'history' is distinct from 'true' then
    perform service.fail(400, 'BAD_REQUEST', format('%s keeps no history.', served.slug),
      jsonb_build_object('collection', served.slug));
  end if;
end $$;

comment on function service_private.require_history(service.collections) is
  'Nothing, or GW400 BAD_REQUEST {collection} for a collection whose file does not say history.';

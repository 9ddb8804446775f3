create or replace function service_private.require_at_most(count bigint, most bigint, code text, collection text default null) returns void
  language plpgsql stable as $$
begin
  if count > most then
    perform service.fail(400, code, format('At most %s at once; these are %s.', most, count),
      jsonb_strip_nulls(jsonb_build_object('collection', collection, 'limit', most)));
  end if;
end $$;

comment on function service_private.require_at_most(bigint, bigint, text, text) is
  'Nothing, or GW400 with this code, {collection?, limit}, for more writes than one request may have.';

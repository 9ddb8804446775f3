create or replace function service_private.refuse_identity() returns void
  language plpgsql stable as $$
begin
  perform service.fail(409, 'IDENTITY_ALREADY_LINKED', 'Another account has this identity.');
end $$;

comment on function service_private.refuse_identity() is 'GW409 IDENTITY_ALREADY_LINKED.';

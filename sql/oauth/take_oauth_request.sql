create or replace function service_private.take_oauth_request(id uuid, expires_at timestamptz) returns boolean
  language plpgsql volatile as $$
begin
  insert into service.oauth_requests (id, expires_at) values (take_oauth_request.id, take_oauth_request.expires_at) on conflict do nothing;
  return found;
end $$;

comment on function service_private.take_oauth_request(uuid, timestamptz) is
  'Takes a request token of the consent page, by its id. expires_at: its own end. False where it was taken before.';

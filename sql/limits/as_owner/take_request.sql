create or replace function service_private.take_request(
  key text, most integer, out allowed boolean, out remaining integer, out retry_after integer
)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  select r.allowed, r.remaining, r.retry_after into take_request.allowed, take_request.remaining, take_request.retry_after
  from service_private.rate_limit(take_request.key, take_request.most) r;
end $$;

comment on function service_private.take_request(text, integer) is
  'Takes one of the requests that a key has in any 15 minutes, as of now: service_private.rate_limit() without a time of the caller''s '
  'choice.';

grant execute on function service_private.take_request(text, integer) to service_user;

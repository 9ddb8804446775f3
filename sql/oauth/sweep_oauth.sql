create or replace function service_private.sweep_oauth() returns integer
  language sql volatile
begin atomic
  with clients as (
    delete from service.oauth_clients c
    where c.is_registered and c.approved_at is null and c.created_at < clock_timestamp() - interval '1 day' returning 1
  ), codes as (
    delete from service.oauth_codes c where c.expires_at < clock_timestamp() - interval '1 hour' returning 1
  ), families as (
    delete from service.oauth_families f where f.expires_at < clock_timestamp() - interval '30 days' returning 1
  ), tokens as (
    delete from service.oauth_refresh_tokens t where t.expires_at < clock_timestamp() - interval '30 days' returning 1
  ), requests as (
    delete from service.oauth_requests r where r.expires_at < clock_timestamp() returning 1
  )
  select (select count(*) from clients)::integer + (select count(*) from codes)::integer + (select count(*) from families)::integer
    + (select count(*) from tokens)::integer + (select count(*) from requests)::integer;
end;

comment on function service_private.sweep_oauth() is
  'Deletes clients that registered more than a day ago and that no account let in, codes that expired more than an hour ago, families and '
  'refresh tokens that expired more than 30 days ago, and request tokens that expired. How many.';

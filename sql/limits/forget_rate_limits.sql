-- Each new key clears away two that count no more, so that no more are left than are made.
create or replace function service_private.forget_rate_limits(before bigint) returns void
  language sql volatile
begin atomic
  delete from service.rate_limits r
  where r.key in (
    select o.key
    from service.rate_limits o
    where o.last_second < before
    order by o.last_second
    limit 2
    for update skip locked);
end;

comment on function service_private.forget_rate_limits(bigint) is
  'Deletes two of the keys of service.rate_limits that were last used before a second since the epoch.';

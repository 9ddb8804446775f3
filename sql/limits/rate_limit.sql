-- A sliding window over whole seconds, as gateway/limits/memory-store.ts counts it. One row a key, so that its lock
-- makes only requests of one key wait for each other: two gateways together never allow one too many. Rejected
-- requests do not count.
create or replace function service_private.rate_limit(
  key text, most integer, at timestamptz default clock_timestamp(), out allowed boolean, out remaining integer, out retry_after integer
)
  language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  window_seconds constant bigint := 900;
  this_second bigint := floor(extract(epoch from at));
  hits service.rate_limits;
  total integer;
  free_at bigint;
begin
  insert into service.rate_limits as r (key, seconds, counts, last_second)
  values (rate_limit.key, '{}', '{}', this_second)
  on conflict on constraint rate_limits_pkey do nothing;
  if found then
    perform service_private.forget_rate_limits(this_second - 2 * window_seconds); -- late, for a clock that is set back
  end if;
  select r.* into hits from service.rate_limits r where r.key = rate_limit.key for update;
  -- A clock that is set back does not give more.
  this_second := greatest(this_second, coalesce(hits.last_second, this_second));

  select
    coalesce(array_agg(u.second order by u.second), '{}'),
    coalesce(array_agg(u.count order by u.second), '{}'),
    coalesce(sum(u.count), 0)
  into hits.seconds, hits.counts, total
  from unnest(hits.seconds, hits.counts) u (second, count)
  where u.second >= this_second - window_seconds;

  allowed := total < most;
  if not allowed then
    select min(u.second) into free_at
    from (
      select h.second, sum(h.count) over (order by h.second) as so_far
      from unnest(hits.seconds, hits.counts) h (second, count)
    ) u
    where u.so_far > total - most;
    remaining := 0;
    retry_after := free_at + window_seconds + 1 - this_second;
    return;
  end if;

  if hits.seconds[cardinality(hits.seconds)] = this_second then
    hits.counts[cardinality(hits.counts)] := hits.counts[cardinality(hits.counts)] + 1;
  else
    hits.seconds := hits.seconds || this_second;
    hits.counts := hits.counts || 1;
  end if;
  update service.rate_limits r
  set seconds = hits.seconds, counts = hits.counts, last_second = this_second
  where r.key = rate_limit.key;
  remaining := most - total - 1;
  retry_after := 0;
end $$;

comment on function service_private.rate_limit(text, integer, timestamptz) is
  'Takes one of the requests that a key has in any 15 minutes. Whether it was allowed, how many remain, and the seconds until one is '
  'allowed again. at: when it comes; for tests. Requests are counted by service_private.take_request.';
-- A time ahead of the clock forgets what was counted, and then counts all that comes as of one second, until that time has come.
revoke all on function service_private.rate_limit(text, integer, timestamptz) from service_user;

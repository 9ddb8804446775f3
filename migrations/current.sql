-- Counts that a crash may lose. The free half of a page is for updates in place, which are nearly all that happens here.
create unlogged table service.rate_limits (
  key text collate "C" primary key,
  seconds bigint[] not null,
  counts integer[] not null,
  last_second bigint not null
) with (fillfactor = 50);

comment on table service.rate_limits is
  'What rate limits have allowed: for each key, a hash of limiter and subject, the seconds since the epoch with their counts.';

create index rate_limits_last_second on service.rate_limits (last_second);

-- Which channels keep what is said there: `realtime.channels` of the settings file, as the last start had it.
create table service.channel_rules (
  place integer primary key,
  match text not null,
  most integer,
  life interval,
  check (most is not null or life is not null)
);
comment on table service.channel_rules is
  'Channels that keep their messages, the first match counts. match: a name, or how names begin with * at its end; most: how many; life: '
  'how long.';

create table service.channel_cursors (
  channel text primary key,
  seq bigint not null,
  prune_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
comment on table service.channel_cursors is
  'The last number of each channel that keeps messages; never deleted, so that no number comes twice. prune_at: when it is looked for '
  'what is too old, null while nothing is due.';
create index on service.channel_cursors (prune_at) where prune_at is not null;

create table service.channel_messages (
  channel text not null,
  seq bigint not null,
  at timestamptz(3) not null,
  event text not null,
  payload json not null,
  sender uuid,
  primary key (channel, seq)
);
comment on table service.channel_messages is
  'What was said in channels that keep it. sender: the socket that said it, which is not told it; null for service.broadcast.';

create table service.broadcasts (
  id bigint generated always as identity primary key,
  channel text not null,
  event text not null,
  payload json not null,
  kept boolean not null
);
comment on table service.broadcasts is
  'What service.broadcast said and no notification carries. kept: of a channel that keeps it, until a gateway has given it its number; '
  'else what is too large, until every gateway can have read it.';

-- Unlogged: after a crash every gateway says again who is present there.
create unlogged table service.channel_gateways (
  id uuid primary key,
  until timestamptz not null
);
comment on table service.channel_gateways is
  'Gateways whose channels are one (REALTIME_CHANNEL_BUS=postgres), one row a start. until: when it counts as gone, unless it says '
  'something before.';

create unlogged table service.channel_presences (
  channel text not null,
  id uuid not null,
  gateway uuid not null references service.channel_gateways on delete cascade,
  state json not null,
  primary key (channel, id)
);
comment on table service.channel_presences is
  'Who is present in a channel, at which gateway: the id of a socket, and what it said of itself.';
create index on service.channel_presences (gateway);

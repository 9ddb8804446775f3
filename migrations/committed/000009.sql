--! Previous: sha1:d10fd5cc0ecdb1f54d30cdf02e8c3c48e8d06bd7
--! Hash: sha1:94466ee612ba27b0ada04d4a1f0fe4cc9ef73de9

-- What has changed in tables, for those who asked. Unlogged: after a crash every gateway asks anew and reads everything again.
create unlogged table service.change_readers (
  id uuid primary key,
  seen pg_snapshot not null,
  sockets integer not null default 0,
  subscriptions integer not null default 0,
  until timestamptz not null
);
comment on table service.change_readers is
  'Gateways that want to hear of changes, one row a start. seen: what it has heard of is visible there; sockets, subscriptions: how many '
  'it has; until: when it counts as gone, unless it says something before. All as of a quarter of a minute ago at most.';

-- A trigger finds all that it needs here: a join with the readers took it three times as long.
create unlogged table service.change_leases (
  relation oid not null,
  reader uuid not null references service.change_readers on delete cascade,
  keyed boolean not null,
  awake boolean not null default true,
  until timestamptz not null,
  primary key (relation, reader)
);
comment on table service.change_leases is
  'The tables whose changes a gateway wants to hear of. keyed: with the keys of the rows, where somebody waits for one row; awake: it '
  'looks by itself, nobody needs to ring; until: as of the reader.';
create index on service.change_leases (reader);

-- Rows come and go: vacuumed by their number, not by the share of a table that is mostly empty.
create unlogged table service.changes (
  xid xid8 not null default pg_current_xact_id(),
  relation oid not null,
  keys text[]
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_scale_factor = 0);
comment on table service.changes is
  'The outbox: statements that changed rows of tables which somebody asked for. keys: of the rows, as text; null: not told.';
create index on service.changes (xid);

-- Read past any snapshot, and in half a microsecond: the triggers of tables are not even called while it has no value.
create sequence service.changes_asked;
comment on sequence service.changes_asked is
  'What gateways want to hear of, three bits a table (service.change_flags_at): of its changes, with keys of rows, and be rung. No value '
  'while none wants anything. Whoever writes a table reads it.';
create sequence service.changes_asked_until;
comment on sequence service.changes_asked_until is 'When the last of those gateways counts as gone, in seconds since 1970.';

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

-- Files: who may. `storage` of the settings file, as the last start had it.
create table service.storage_access (
  only_row boolean primary key default true check (only_row),
  given jsonb not null default '{}',
  authorizer text,
  has_policies boolean not null default false,
  open_for text[] not null default '{}'
);
comment on table service.storage_access is
  'One row. given: what service.use_storage_rules was given, of which all of it is made, policies and triggers too; authorizer: the '
  'function that has to agree to what is done with files; has_policies: whether storage_policies has some; open_for: the operations of '
  'which whoever has not signed in is not turned away at once.';
insert into service.storage_access default values;

create table service.storage_policies (
  place integer primary key,
  path text not null,
  pattern text not null,
  names text[] not null,
  operations text[] not null,
  allow text not null check (allow in ('public', 'authenticated', 'function', 'row')),
  subject text,
  id text
);
comment on table service.storage_policies is
  'Who may do what with files whose keys match; any that allows is enough, and where there are some, what none allows is refused. path: as '
  'written; pattern, names: of service.key_pattern; subject: the function, or the collection whose row decides; id: which name of the path '
  'is its id.';

create table service.storage_triggers (
  place integer primary key,
  path text not null,
  pattern text not null,
  names text[] not null,
  events text[] not null,
  handler text not null
);
comment on table service.storage_triggers is
  'Functions that are told of files that were stored or deleted. path, pattern, names: as of storage_policies.';

create table service.storage_properties (
  collection text not null references service.collections on delete cascade,
  place integer not null,
  property text not null,
  source text not null,
  destination text,
  max_size bigint,
  accepted text[],
  primary key (collection, place)
);
comment on table service.storage_properties is
  'The limits of files that properties hold, at any depth. property: a dotted path without places in arrays; destination: a pattern of the '
  'keys that are its files'', null where it has no path of its own; accepted: types and endings, null: any.';

create table service.storage_rows (
  collection text primary key references service.collections on delete cascade,
  version bigint not null,
  key_types jsonb not null,
  seen text not null,
  changed text
);
comment on table service.storage_rows is
  'What policies about rows ask, as service.file_statements writes it, of the catalog of this version.';

-- Files: what follows rows.
alter table service.storage_properties
  add column bucket text not null default 'default',
  add column cleanup boolean not null default false,
  add column column_name text not null default '',
  add column sql_type text not null default '',
  add column json_path text not null default '';
comment on table service.storage_properties is
  'The properties that hold files, at any depth, with their limits. property: a dotted path without places in arrays; destination: a '
  'pattern of the keys that are its files'', null where it has no path of its own; accepted: types and endings, null: any; cleanup: a '
  'file goes when no row names it; json_path: where they stand in the column, if that is JSON.';

-- What is to be done later.
create table service.jobs (
  id uuid primary key default gen_random_uuid(),
  task text not null,
  payload jsonb not null default '{}',
  status text not null default 'pending' check (status in ('pending', 'running', 'succeeded', 'failed')),
  run_at timestamptz not null default now(),
  attempts integer not null default 0,
  max_attempts integer not null default 3,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  locked_at timestamptz,
  locked_by text,
  idempotency_key text
);
comment on table service.jobs is
  'What is to be done later, once at least (service.enqueue). attempts: how often it was begun; locked_at, locked_by: when its worker was '
  'heard of last; idempotency_key: while it is not over there is no other with this key. Failed ones stay to be looked at.';
create index jobs_due on service.jobs (run_at, created_at) where status = 'pending';
create index jobs_running on service.jobs (locked_at) where status = 'running';
create index jobs_over on service.jobs (updated_at) where status in ('succeeded', 'failed');
create unique index jobs_idempotency_key on service.jobs (idempotency_key) where status in ('pending', 'running');

-- Resumable uploads
create table service.storage_uploads (
  id uuid primary key,
  owner text,
  creator jsonb,
  source text not null,
  bucket text not null,
  key text not null,
  content_type text not null,
  metadata text not null,
  length bigint not null check (length > 0),
  received bigint not null default 0 check (received between 0 and length),
  held jsonb,
  holder uuid,
  claimant uuid,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  swept_at timestamptz
);
comment on table service.storage_uploads is
  'Uploads that come in pieces, by the tus protocol. owner: who may go on with it; null: whoever knows its id. creator: who is told '
  'to have stored the file. metadata: as it was sent. received: how many of its bytes are durable; held: what its store needs to go on '
  'from there. holder: the request that writes now, which alone may change the two; claimant: the newest that wanted to, which the '
  'holder gives way to. finished_at: the file is there, the row only tells so. swept_at: when it was last '
  'tried to finish or to remove it, or was first seen whole.';
-- Those that may be removed, the longest forgotten first.
create index on service.storage_uploads (coalesce(finished_at, created_at));

--! Previous: sha1:d10fd5cc0ecdb1f54d30cdf02e8c3c48e8d06bd7
--! Hash: sha1:b014b9faff3e539e42f00c0236a749a94e1f46a0

-- What has changed in tables, for those who asked. Unlogged: after a crash every gateway asks anew and reads everything again.
create unlogged table service.change_readers (
  id uuid primary key,
  seen pg_snapshot not null,
  until timestamptz not null
);
comment on table service.change_readers is
  'Gateways that want to hear of changes, one row a start. seen: what it has heard of is visible there; until: when it counts as gone, '
  'unless it says something before.';

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
  'Has a value (1) while any gateway wants to hear of changes, and none else. Whoever writes a table reads it.';

-- Enter migration here

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
  'holder gives way to. finished_at: the file is there, the row only tells so. swept_at: when it was last tried to remove it.';
-- Those that may be removed, the longest forgotten first.
create index on service.storage_uploads (coalesce(finished_at, created_at));

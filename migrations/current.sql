-- Enter migration here

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

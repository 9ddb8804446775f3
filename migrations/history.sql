-- The installed parts of the service's schema. Read before an upgrade, again and again; everything else is recorded
-- here. A dropped service may have left its private schema behind; its function shows that it was this service's.
do $$ begin
  if to_regnamespace('service') is null and to_regprocedure('service_private.install(text, text)') is not null then
    drop schema service_private cascade;
  end if;
end $$;

create schema if not exists service;
create schema if not exists service_private;

create table if not exists service.migrations (
  number integer primary key,
  name text not null,
  hash text not null,
  previous_hash text not null,
  applied_at timestamptz not null default now()
);
comment on table service.migrations is 'The service''s migrations that this database has, with the hashes of their files.';

create table if not exists service.sources (
  path text primary key,
  text text not null,
  hash text not null,
  installed_at timestamptz not null default now()
);
comment on table service.sources is
  'The files of sql/ and policies/ as this database has them; rowgate migrate --plan shows what an upgrade changes of them. '
  'hash: SHA-256 of the text, hex.';

create or replace function service_private.install(path text, text text) returns void
  language plpgsql volatile as $$
begin
  execute install.text;
  insert into service.sources as s (path, text, hash)
  values (install.path, install.text, encode(sha256(convert_to(install.text, 'UTF8')), 'hex'))
  on conflict on constraint sources_pkey do update set text = excluded.text, hash = excluded.hash, installed_at = default;
end $$;

comment on function service_private.install(text, text) is
  'Runs the text of a file of sql/ or policies/ and records it in service.sources. For the owner, in an upgrade.';

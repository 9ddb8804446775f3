-- Enter migration here

-- Files: who may. `storage` of the settings file, as the last start had it.
create table service.storage_access (
  only_row boolean primary key default true check (only_row),
  authorizer text,
  public_read boolean not null default false,
  any_authenticated boolean not null default false,
  auth_required boolean not null default true
);
comment on table service.storage_access is
  'One row. authorizer: the function that has to agree to what is done with files; public_read: whoever has not signed in may read; '
  'any_authenticated: where there are no rules, production lets everybody do everything who has signed in; auth_required: AUTH_REQUIRE.';
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
comment on table service.storage_triggers is 'Functions that are told of files that were stored or deleted. path, pattern, names: as of storage_policies.';

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

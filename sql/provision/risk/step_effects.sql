-- The manual's "Explicit Locking" and the notes of each command; of several that fit a statement the first counts.
create or replace function service_private.step_effects()
  returns table (n integer, kind text, pattern text, lock text, effect text, safer text)
  language sql immutable parallel safe
begin atomic
  select * from (values
    (1, 'search column', '.', 'access exclusive', 'rewrite',
      'Add a plain column and fill it in batches, with a trigger that keeps it; a search column is generated, so that needs a quiet hour.'),
    (2, 'column', ' generated (by default|always) as identity|\mserial\M', 'access exclusive', 'rewrite',
      'Add the column without the identity, fill it in batches, then add the identity.'),
    (3, 'column', ' default \(?(?!now\(\)|\(now\(\))[\w".]+\(', 'access exclusive', 'rewrite',
      'Add the column without the default, set the default for new rows, and fill the others in batches.'),
    (4, 'column', '.', 'access exclusive', 'none', null),
    (5, 'not null', '.', 'access exclusive', 'scan',
      'alter table … add check (… is not null) not valid; then validate it; then set not null, which looks at no row any more.'),
    (6, 'foreign key', '.', 'share row exclusive', 'scan',
      'alter table … add constraint … not valid; then alter table … validate constraint …'),
    (7, 'unique', 'concurrently', 'share update exclusive', 'scan', null),
    (8, 'unique', '.', 'access exclusive', 'scan',
      'create unique index concurrently …; then alter table … add constraint … unique using index …'),
    (9, 'index', 'concurrently', 'share update exclusive', 'scan', null),
    (10, 'index', '.', 'share', 'scan', 'create index concurrently …'),
    (11, 'default', '.', 'access exclusive', 'none', null),
    (12, 'identity', '.', 'access exclusive', 'none', null),
    (13, 'row security', '.', 'access exclusive', 'none', null),
    (14, 'policy', '.', 'access exclusive', 'none', null),
    (15, 'trigger', '.', 'share row exclusive', 'none', null)
  ) e (n, kind, pattern, lock, effect, safer);
end;

comment on function service_private.step_effects() is
  'The effects of the statements of service.provision_plan() on an existing table, by their kind and a pattern of their text: the lock '
  'that they take, whether they scan or rewrite it under that lock, and a way that blocks others less, where there is one. A kind that is '
  'not listed locks no table.';

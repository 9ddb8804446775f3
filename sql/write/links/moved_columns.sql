-- The key of a row does not change, so a foreign key that shares columns with it can only lead to parents with the same.
create or replace function service_private.moved_columns(relation service.relations) returns text[]
  language sql stable
begin atomic
  select coalesce(array_agg(u.name order by u.n), '{}')
  from unnest(relation.target_columns) with ordinality u (name, n)
  where u.name <> all (service_private.key_columns(relation.target));
end;

comment on function service_private.moved_columns(service.relations) is
  'Of a hasOne or hasMany the columns of the target that are written to link a row, or to let it go: those of its foreign key, but for '
  'those of its key.';

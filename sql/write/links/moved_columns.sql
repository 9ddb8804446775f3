-- The key of a row does not change, so a foreign key that shares columns with it can only lead to parents with the same.
create or replace function service_private.moved_columns(relation service.relations) returns text[]
  language sql stable
begin atomic
  select coalesce(array_agg(u.name order by u.n), '{}')
  from unnest(relation.target_columns) with ordinality u (name, n)
  where u.name <> all (service_private.key_columns(relation.target));
end;

comment on function service_private.moved_columns(service.relations) is
  'The columns of the target that link a row over a hasOne or hasMany, or release it: those of its foreign key, but for those of its key.';

create or replace function service_private.key_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with key as (
    select p.path, p.kind, p.definition, p.definition ->> 'isId' as made_by,
      first_value(p.name) over (partition by p.collection order by p."position") as first,
      row_number() over (partition by p.collection order by p."position") as n
    from service_private.declared_properties() p
    where service_private.is_declared_key(p.definition) and not p.broken
  )
  select k.path || '.type', format('a %s cannot be a key', k.kind) from key k
  where k.kind not in ('string', 'number', 'relation', 'reference')
  union all
  select k.path || '.isId', '"cuid" is not made by PostgreSQL; "uuid", "increment" and "manual" are' from key k where k.made_by = 'cuid'
  union all
  select k.path || '.isId', '"uuid" is for strings' from key k where k.made_by = 'uuid' and k.kind <> 'string'
  union all
  select k.path || '.isId', '"increment" is for numbers' from key k where k.made_by = 'increment' and k.kind <> 'number'
  union all
  select format('%s.%s', k.path, case when k.definition -> 'excludeFromApi' = 'true' then 'excludeFromApi' else 'access' end),
    'the key stands in every address, so everyone may read it'
  from key k
  where k.definition -> 'excludeFromApi' = 'true' or k.definition #> '{access,read}' is not null
  union all
  select k.path || '.isId', format('a second key beside %s; a unique index can hold it', k.first) from key k where k.n > 1;
end $$;

comment on function service_private.key_problems() is 'Declared primary keys that cannot be one.';

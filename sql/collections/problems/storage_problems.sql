create or replace function service_private.storage_problems(definition jsonb) returns table (suffix text, problem text)
  language sql stable
begin atomic
  select '.storagePath', format('has %s; there are %s', m.part[1], array_to_string(k.known, ', '))
  from regexp_matches(definition #>> '{storage,storagePath}', '[{}][^{}]*\}?', 'g') m (part)
  cross join (
    select array['{propertyKey}', '{rand}', '{file}', '{file.name}', '{file.ext}', '{file.type}', '{entityId}', '{path}'] as known) k
  where m.part[1] <> all (k.known)
  union all
  select '.storagePath', 'has the segment .., which no key has'
  where '..' = any (string_to_array(definition #>> '{storage,storagePath}', '/'))
  union all
  select '.cleanup', 'needs a storagePath: only files under it are removed'
  where definition #> '{storage,cleanup}' = 'true' and not definition -> 'storage' ? 'storagePath'
  union all
  select '', 'a file''s key is a text, which the column type uuid does not take' where definition ->> 'columnType' = 'uuid';
end;

comment on function service_private.storage_problems(jsonb) is
  'Problems of the storage of a declared property, or of a part of one, with their places in it.';

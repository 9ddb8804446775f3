create or replace function service.storage_problems(definition jsonb) returns table (suffix text, problem text)
  language sql stable
begin atomic
  select '.storagePath', format('has %s; there are {propertyKey}, {rand}, {file}, {file.name}, {file.ext}, {file.type}, {entityId}, {path}', m.part[1])
  from regexp_matches(definition #>> '{storage,storagePath}', '[{}][^{}]*\}?', 'g') m (part)
  where m.part[1] not in ('{propertyKey}', '{rand}', '{file}', '{file.name}', '{file.ext}', '{file.type}', '{entityId}', '{path}')
  union all
  select '.storagePath', 'has the segment .., which no key has'
  where '..' = any (string_to_array(definition #>> '{storage,storagePath}', '/'))
  union all
  select '', 'a file''s key is a text, which the column type uuid does not take' where definition ->> 'columnType' = 'uuid';
end;

comment on function service.storage_problems(jsonb) is
  'What is wrong with the storage of a declared property, or of a part of one, and where within it.';

revoke all on function service.storage_problems(jsonb) from public;

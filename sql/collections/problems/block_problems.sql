create or replace function service_private.block_problems(definition jsonb) returns table (suffix text, problem text)
  language plpgsql stable as $$
begin
  return query
    select f.suffix, f.problem
    from (values
      ('', case when definition ? 'of' then 'stands beside of; one of them'
        when not coalesce(definition ->> 'columnType', 'jsonb') like 'json%'
          then format('blocks are objects, which a column of type %s does not hold', definition ->> 'columnType') end),
      ('.valueField', case
        when coalesce(definition #>> '{oneOf,typeField}', 'type') = coalesce(definition #>> '{oneOf,valueField}', 'value')
        then 'is the typeField as well' end)
    ) f (suffix, problem)
    where f.problem is not null;
end $$;

comment on function service_private.block_problems(jsonb) is
  'Problems of the oneOf of a declared array, except in its blocks, with their places.';

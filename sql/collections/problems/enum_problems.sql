create or replace function service_private.enum_problems(definition jsonb) returns table (suffix text, problem text)
  language plpgsql stable as $$
declare
  ids constant jsonb[] := service_private.enum_ids(definition);
  is_number constant boolean := service_private.property_kind(definition) = 'number';
begin
  if not definition ? 'enum' then
    return query select '', 'lacks enum, the list of its values' where definition ->> 'type' = 'enum';
    return;
  end if;
  return query
    select '.enum', 'has no values' where cardinality(ids) = 0
    union all
    select '.enum', 'names a value twice' where (select count(distinct i #>> '{}') < count(*) from unnest(ids) i)
    union all
    select '.enum', 'has a value that is empty' where '""' = any (ids)
    union all (
      select '.enum', format('%s is not a %s', i.id, service_private.property_kind(definition))
      from unnest(ids) with ordinality i (id, n)
      where case when is_number then not service_private.fits_type(i.id, 'number', null)
        else jsonb_typeof(i.id) <> 'string' end
      order by i.n
      limit 1)
    union all (
      select '.enum', format('%s is longer than the 63 bytes of a label', i.id)
      from unnest(ids) with ordinality i (id, n)
      where not is_number and octet_length(i.id #>> '{}') > 63
      order by i.n
      limit 1);
end $$;

comment on function service_private.enum_problems(jsonb) is 'Problems of the enum of a declared property, with their places in it.';

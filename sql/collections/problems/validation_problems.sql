create or replace function service_private.validation_problems(rules jsonb, kind text) returns table (suffix text, problem text)
  language plpgsql stable as $$
declare
  size constant jsonb := service_private.bound_sizes(rules, kind);
  length constant numeric := (rules -> 'length')::numeric;
begin
  return query
    select '.' || f.key, f.problem
    from (values
      ('min', case
        when kind = 'date' and not service_private.is_readable_date(rules ->> 'min', null) then 'is not a date'
        when (size -> 'min')::numeric > (size -> 'max')::numeric then format('is above max (%s)', rules ->> 'max') end),
      ('max', case when kind = 'date' and not service_private.is_readable_date(rules ->> 'max', null) then 'is not a date' end),
      ('moreThan', case when (size -> 'moreThan')::numeric >= (size -> 'lessThan')::numeric
        then format('leaves nothing below lessThan (%s)', rules ->> 'lessThan') end),
      ('length', case when length < coalesce((size -> 'min')::numeric, 0) or length > (size -> 'max')::numeric
        then 'is outside min and max' end),
      ('matches', service_private.pattern_fault(rules ->> 'matches'))
    ) f (key, problem)
    where f.problem is not null;
end $$;

comment on function service_private.validation_problems(jsonb, text) is
  'Problems of the validation of a declared property of this kind, such as bounds that no value can meet, with their places in it.';

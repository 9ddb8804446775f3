create or replace function service_private.bound_sizes(rules jsonb, kind text) returns jsonb
  language plpgsql stable as $$
begin
  return (
    select jsonb_object_agg(r.key, case when kind = 'date'
      then case when service_private.is_readable_date(r.bound #>> '{}', null) then extract(epoch from (r.bound #>> '{}')::timestamptz) end
      else (r.bound #>> '{}')::numeric end)
    from jsonb_each(rules) r (key, bound)
    where r.key in ('min', 'max', 'moreThan', 'lessThan'));
end $$;

comment on function service_private.bound_sizes(jsonb, text) is
  'The bounds of a validation as numbers that can be compared; those of dates in seconds, null for what is no date.';

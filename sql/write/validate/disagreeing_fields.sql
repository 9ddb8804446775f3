create or replace function service_private.disagreeing_fields(body jsonb, plan jsonb) returns table (field text, message text)
  language plpgsql stable as $$
begin
  if not plan ? 'twice' then
    return;
  end if;
  return query
    select string_agg(f.field, ', ' order by f.field),
      format('%s mean the same and say different things.', string_agg(f.field, ' and ' order by f.field))
    from jsonb_to_recordset(plan -> 'fields') f (field text, "column" text, unwraps text)
    where body ? f.field
    group by f."column"
    having count(distinct coalesce(service_private.unwrapped(body -> f.field, f.unwraps) #>> '{}', '')) > 1;
end $$;

comment on function service_private.disagreeing_fields(jsonb, jsonb) is
  'The names of a column that is sent by two of them (a belongsTo and its foreign key) with different values.';

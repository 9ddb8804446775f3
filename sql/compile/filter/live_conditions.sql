create or replace function service_private.live_conditions(collection text, alias text, deleted text default null) returns text[]
  language plpgsql stable as $$
declare
  stamp text := service_private.deletion_stamp(collection);
begin
  if deleted = 'include' then
    return '{}';
  elsif stamp is null then
    -- Where deleted rows are not kept, none is there.
    return case deleted when 'only' then '{false}' else '{}' end;
  end if;
  return array[format('%s.%I is %s', alias, stamp, case deleted when 'only' then 'not null' else 'null' end)];
end $$;

comment on function service_private.live_conditions(text, text, text) is
  'SQL text, as conditions, that leaves out the rows that a soft delete has stamped; with deleted = include nothing, with only it '
  'leaves out the others.';

create or replace function service.live_conditions(collection text, alias text, deleted text default null) returns text[]
  language sql stable
begin atomic
  select case
    when live_conditions.deleted = 'include' then '{}'
    -- Where deleted rows are not kept, none is there.
    when s.stamp is null then case live_conditions.deleted when 'only' then '{false}' else '{}' end::text[]
    else array[format('%s.%I is %snull', alias, s.stamp, case live_conditions.deleted when 'only' then 'not ' else '' end)]
  end
  from (select service.deletion_stamp(live_conditions.collection)) s (stamp);
end;

comment on function service.live_conditions(text, text, text) is
  'SQL text, as conditions, that leaves out the rows that a soft delete has stamped; with deleted = include nothing, with only '
  'it leaves out the others.';

revoke all on function service.live_conditions(text, text, text) from public;

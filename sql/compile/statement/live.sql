create or replace function service.live(collection text, alias text, deleted text default null) returns text
  language sql stable
begin atomic
  select case
    when live.deleted = 'include' then ''
    -- Where deleted rows are not kept, none is there.
    when s.stamp is null then case live.deleted when 'only' then ' and false' else '' end
    else format(' and %s.%I is %snull', alias, s.stamp, case live.deleted when 'only' then 'not ' else '' end)
  end
  from (select service.deletion_stamp(live.collection)) s (stamp);
end;

comment on function service.live(text, text, text) is
  'SQL text (beginning with and) that leaves out the rows that a soft delete has stamped; with deleted = include nothing, with only it leaves out the others.';

revoke all on function service.live(text, text, text) from public;

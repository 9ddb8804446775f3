create or replace function service.rest_from_changes(reader uuid, awake boolean) returns boolean
  language sql volatile
begin atomic
  update service.change_readers r set awake = rest_from_changes.awake where r.id = rest_from_changes.reader returning true;
end;

comment on function service.rest_from_changes(uuid, boolean) is
  'A gateway looks by itself no more, so that whoever changes something rings, or (awake) does so again. Transactions under way at '
  'the commit may not have seen it. Null for one that counts as gone.';

revoke all on function service.rest_from_changes(uuid, boolean) from public;

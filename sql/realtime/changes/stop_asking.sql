create or replace function service.stop_asking(reader uuid) returns void
  language sql volatile
begin atomic
  delete from service.change_readers r where r.id = stop_asking.reader;
end;

comment on function service.stop_asking(uuid) is 'A gateway ends, and wants to hear of no more changes.';

revoke all on function service.stop_asking(uuid) from public;

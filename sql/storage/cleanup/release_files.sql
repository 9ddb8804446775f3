create or replace function service.release_files(storage jsonb, id text, was text[], became text[] default null) returns void
  language plpgsql volatile as $$
declare
  file jsonb;
begin
  for file in select f from service.released_files(storage, id, was, became) f loop
    if service.may_delete_file(file) then
      perform service.put_release(file);
    end if;
  end loop;
end $$;

comment on function service.release_files(jsonb, text, text[], text[]) is
  'Enqueues the removal of the files that a row lets go of (service.released_files) and that the caller who entered may delete now. Called '
  'by generated triggers before the row is written, as service_user: rules that ask the row still find it.';

revoke all on function service.release_files(jsonb, text, text[], text[]) from public;
grant execute on function service.release_files(jsonb, text, text[], text[]) to service_user;

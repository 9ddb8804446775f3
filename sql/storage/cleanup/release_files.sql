create or replace function service_private.release_files(storage jsonb, id text, was text[], became text[] default null) returns void
  language plpgsql volatile as $$
declare
  file jsonb;
begin
  for file in select f from service_private.released_files(storage, id, was, became) f loop
    if service_private.may_delete_file(file) then
      perform service_private.put_release(file);
    end if;
  end loop;
end $$;

comment on function service_private.release_files(jsonb, text, text[], text[]) is
  'Enqueues the removal of the files that a row no longer names (service_private.released_files) and that the caller who entered may '
  'delete now. Called by generated triggers before the row is written, as service_user: rules that query the row still find it.';

grant execute on function service_private.release_files(jsonb, text, text[], text[]) to service_user;

-- A cascade of a foreign key and a security definer function write as another role within a caller's request, and no
-- role can be set there. The job then evaluates the rules, as that caller.
create or replace function service_private.release_files_as_owner(storage jsonb, id text, was text[], became text[] default null)
  returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  caller constant jsonb := case when service.uid() is not null then jsonb_build_object('caller', jsonb_build_array(
    service.uid(), service.roles(), current_setting('app.is_anonymous', true), current_setting('app.jwt', true),
    current_setting('request.jwt.claims', true))) else '{}' end;
begin
  perform service_private.put_release(f || caller) from service_private.released_files(storage, id, was, became) f;
end $$;

comment on function service_private.release_files_as_owner(jsonb, text, text[], text[]) is
  'As service_private.release_files, for writes of other roles than service_user. Within a request the job evaluates the rules, as the '
  'caller; outside of one, in psql and migrations, no rule applies. Called by generated triggers, as the owner.';

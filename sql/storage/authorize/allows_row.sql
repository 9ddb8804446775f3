create or replace function service_private.allows_row(collection text, id text, changes boolean) returns boolean
  language plpgsql volatile as $$
declare
  statement constant text := service_private.file_row(collection, id, changes);
  found boolean;
begin
  if statement is not null then
    execute statement into found using id;
  end if;
  return coalesce(found, false);
exception when insufficient_privilege then
  return false;
end $$;

comment on function service_private.allows_row(text, text, boolean) is
  'Whether the caller sees a row, or with changes whether the caller may change it, by row security.';

grant execute on function service_private.allows_row(text, text, boolean) to service_user;

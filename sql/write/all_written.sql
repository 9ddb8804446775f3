create or replace function service_private.all_written(all_written boolean) returns boolean
  language plpgsql volatile as $$
begin
  if not all_written then
    raise exception using errcode = 'GW000', message = 'Some rows were not written.';
  end if;
  return true;
end $$;

comment on function service_private.all_written(boolean) is
  'True; or GW000, which takes back what a bulk statement has written, so that service_private.write can say which row was not and why.';

grant execute on function service_private.all_written(boolean) to service_user;

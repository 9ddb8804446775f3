create or replace function service.has_unique_items(list jsonb) returns boolean
  language plpgsql immutable parallel safe as $$
begin
  return (select count(*) = count(distinct i) from jsonb_array_elements(list) i);
end $$;

comment on function service.has_unique_items(jsonb) is 'Whether no item of a JSON array stands in it twice.';

revoke all on function service.has_unique_items(jsonb) from public;
grant execute on function service.has_unique_items(jsonb) to service_user;

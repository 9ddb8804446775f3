create or replace function service_private.has_unique_items(list jsonb) returns boolean
  language plpgsql immutable parallel safe as $$
begin
  return (select count(*) = count(distinct i) from jsonb_array_elements(list) i);
end $$;

comment on function service_private.has_unique_items(jsonb) is 'Whether no item of a JSON array stands in it twice.';

grant execute on function service_private.has_unique_items(jsonb) to service_user;

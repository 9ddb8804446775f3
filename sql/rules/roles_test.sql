create or replace function service_private.roles_test(operator text, roles jsonb) returns text
  language plpgsql immutable parallel safe as $$
begin
  return format('(select string_to_array(service.roles(), '','') %s %L::text[])', operator,
    array(select jsonb_array_elements_text(roles)));
end $$;

comment on function service_private.roles_test(text, jsonb) is
  'SQL text that compares the caller''s roles with a list of them, once a query: && for any, @> for all.';

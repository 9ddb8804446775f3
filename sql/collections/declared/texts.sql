create or replace function service_private.texts(list jsonb) returns text[]
  language plpgsql immutable parallel safe as $$
begin
  return case jsonb_typeof(list) when 'array' then array(select jsonb_array_elements_text(list)) end;
end $$;

comment on function service_private.texts(jsonb) is 'A JSON array of texts; null when it is none.';

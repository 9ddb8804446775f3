create or replace function service_private.operand_type(operand jsonb, collection text, checked_collection text) returns text
  language plpgsql stable as $$
begin
  return case operand ->> 'kind'
    when 'field' then service_private.field_type(collection, operand ->> 'name')
    when 'outerField' then service_private.field_type(checked_collection, operand ->> 'name')
    when 'authRoles' then 'text[]'
  end;
end $$;

comment on function service_private.operand_type(jsonb, text, text) is
  'The type that an operand of a comparison has by itself: a field''s column. Null for what takes the type of the other side.';

-- format_type writes "character" for bpchar and "bit", which as casts mean one character and one bit.
create or replace function service_private.sql_type(type oid) returns text
  language sql stable
  return case service_private.base_type(type)
    when 'bpchar'::regtype then 'bpchar'
    when 'bpchar[]'::regtype then 'bpchar[]'
    when 'bit'::regtype then '"bit"'
    when 'bit[]'::regtype then '"bit"[]'
    else format_type(service_private.base_type(type), null)
  end;

comment on function service_private.sql_type(oid) is
  'The name to cast a value to, so that it has a column''s type: schema-qualified, without length, a domain''s base type.';

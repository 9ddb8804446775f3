-- format_type writes "character" for bpchar, which as a cast means one character.
create or replace function service.sql_type(type oid) returns text
  language sql stable
  return replace(format_type(service.base_type(type), null), 'character', case when service.base_type(type) in ('bpchar'::regtype, 'bpchar[]'::regtype) then 'bpchar' else 'character' end);

comment on function service.sql_type(oid) is 'The name to cast a value to, so that it has a column''s type: schema-qualified, without length, a domain''s base type.';

revoke all on function service.sql_type(oid) from public;

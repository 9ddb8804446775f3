-- parse_ident raises an error for a text that is no name. A bare word is of letters, digits, _, $ and all that is beyond ASCII.
-- PL/pgSQL, because PostgreSQL 18 plans an SQL function with the values of its arguments and would evaluate parse_ident ahead of the test.
create or replace function service_private.name_parts(name text) returns text[]
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  word constant text := '("([^"]|"")+"|[^\x01-\x40\x5b-\x5e\x60\x7b-\x7f][^\x01-\x23\x25-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]*)';
begin
  if name_parts.name ~ concat('^', word, '(\.', word, ')?$') then
    return parse_ident(name_parts.name);
  end if;
  return null;
end $$;

comment on function service_private.name_parts(text) is
  'The parts of a name as SQL writes it, with its schema or without; null for a text that is no such name.';

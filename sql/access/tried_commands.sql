-- As PostgreSQL adds policies to a statement that finds its row by the key and is answered with it (rowsecurity.c): to read a row is part
-- of each, so that the policies for SELECT are asked with all of them, and of a row that is written too.
create or replace function service_private.tried_commands(operation text) returns table (n integer, command text, clause text)
  language sql immutable parallel safe
begin atomic
  select t.n, t.command, t.clause
  from (
    values ('read', 1, 'select', 'using'),
      ('create', 1, 'insert', 'check'), ('create', 2, 'select', 'check'),
      ('update', 1, 'select', 'using'), ('update', 2, 'update', 'using'), ('update', 3, 'update', 'check'),
      ('update', 4, 'select', 'check'),
      ('delete', 1, 'select', 'using'), ('delete', 2, 'delete', 'using')
  ) t (operation, n, command, clause)
  where t.operation = tried_commands.operation;
end;

comment on function service_private.tried_commands(text) is
  'The commands whose policies a request is asked by (operation is read, create, update or delete): their USING of the stored row, or '
  'their WITH CHECK of the written one.';

create or replace function service_private.hooks()
  returns table (hook text, suffix text, trigger_name text, events integer, arguments text, result text)
  language sql immutable parallel safe
begin atomic
  -- events as in pg_trigger.tgtype: row 1, before 2, insert 4, delete 8, update 16.
  values
    ('beforeSave', '__before_save', '_100_before_save', 1 + 2 + 4 + 16, 'op text, old jsonb, new jsonb', 'jsonb'),
    ('afterSave', '__after_save', '_900_after_save', 1 + 4 + 16, 'op text, old jsonb, new jsonb', 'void'),
    ('beforeDelete', '__before_delete', '_100_before_delete', 1 + 2 + 8, 'old jsonb', 'boolean'),
    ('afterDelete', '__after_delete', '_900_after_delete', 1 + 8, 'old jsonb', 'void'),
    ('afterRead', null, null, null, 'row json', 'json');
end;

comment on function service_private.hooks() is
  'The callbacks a collection may name, the signature each must have, and the trigger that calls it (none for afterRead: the '
  'statement that reads does).';

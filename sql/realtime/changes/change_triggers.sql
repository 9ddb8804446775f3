create or replace function service_private.change_triggers() returns table (trigger_name text, event text, tables text)
  language sql immutable parallel safe
begin atomic
  values
    ('_960_changes_insert', 'insert', 'referencing new table as changed_rows'),
    ('_960_changes_update', 'update', 'referencing old table as old_rows new table as changed_rows'),
    ('_960_changes_delete', 'delete', 'referencing old table as changed_rows'),
    ('_960_changes_truncate', 'truncate', '');
end;

comment on function service_private.change_triggers() is 'The triggers by which a table tells of its changes.';

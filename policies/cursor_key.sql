-- A reader of the key can forge cursors. No policy: service_private.cursor_seal and service_private.cursor_open use
-- it with the owner's rights.
alter table service.cursor_key enable row level security;
revoke all on table service.cursor_key from public, service_user;

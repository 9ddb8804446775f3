-- No policy: as service.change_readers.
alter table service.change_leases enable row level security;
revoke all on table service.change_leases from public, service_user;

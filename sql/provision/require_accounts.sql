create or replace function service_private.require_accounts(relation regclass, key_column text) returns void
  language plpgsql stable as $$
declare
  strangers bigint;
  stranger text;
begin
  execute format('select count(*), min(t.%1$I::text) from %2$s t where not exists (select from service.users u where u.uid = t.%1$I::text)',
    key_column, relation) into strangers, stranger;
  if strangers > 0 then
    perform service.fail(400, 'SCHEMA_CHANGE_FAILED', format('%s of its rows have no account, such as %s', strangers, stranger));
  end if;
end $$;

comment on function service_private.require_accounts(regclass, text) is
  'GW400 SCHEMA_CHANGE_FAILED when a future table of accounts has rows without one: existing rows must make no user, or admin.';

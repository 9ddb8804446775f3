-- A setting of an extension may not have been there before a search loaded it; then it goes back to its own default.
create or replace function service_private.restore_settings(settings jsonb) returns void
  language plpgsql volatile as $$
begin
  perform set_config(k.key, coalesce(nullif(k.value, ''), (select s.boot_val from pg_catalog.pg_settings s where s.name = k.key), ''), true)
  from jsonb_each_text(settings) k;
end $$;

comment on function service_private.restore_settings(jsonb) is
  'Puts back, for the rest of the transaction, what service_private.kept_settings has kept: the role, who the caller is, and other '
  'settings.';

grant execute on function service_private.restore_settings(jsonb) to service_user;

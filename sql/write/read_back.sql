-- A transaction that was made read-only stays so, but for a subtransaction that is rolled back: that gives up the setting
-- and nothing else, so a batch, or a DBA, can go on writing.
create or replace function service_private.read_back(statement text, caller text[], key text) returns json
  language plpgsql volatile as $$
declare
  body text;
begin
  perform set_config('transaction_read_only', 'on', true);
  body := service_private.run_planned(statement, caller || key);
  raise exception using errcode = 'GW000';
exception when sqlstate 'GW000' then
  return body;
end $$;

comment on function service_private.read_back(text, text[], text) is
  'The row that a write has left, by a read of its plan: read-only, as every read (25006 when a callback writes). The '
  'transaction can write again afterwards.';

grant execute on function service_private.read_back(text, text[], text) to service_user;

-- Leases are read from sequences, past any snapshot: every lease committed before is seen here, at any isolation
-- level, and without a query (one, with its snapshot, took a third of the time of all this). A later lease is not
-- seen; its gateway knows the transactions in progress at that moment, and reads again when they are over. Rows are
-- c.*: c alone would be a column of that name.
create or replace function service_private.announce_change() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  most constant integer := 100;
  wanted constant bigint := pg_sequence_last_value('service.changes_asked') >> service_private.change_flags_at(tg_relid) & 7;
  changed_keys text[];
begin
  if (wanted & 1 = 1 and pg_sequence_last_value('service.changes_asked_until') > extract(epoch from clock_timestamp())) is not true then
    return null;
  end if;
  if tg_op = 'TRUNCATE' then
    insert into service.changes (relation) values (tg_relid);
  else
    if wanted & 2 = 2 and tg_nargs > 0 then
      changed_keys := array(select to_jsonb(c.*) ->> tg_argv[0] from changed_rows c limit most + 1);
      if cardinality(changed_keys) > most then
        changed_keys := null;
      elsif tg_op = 'UPDATE' then
        changed_keys := changed_keys || array(select to_jsonb(c.*) ->> tg_argv[0] from old_rows c);
      end if;
    end if;
    insert into service.changes (relation, keys) select tg_relid, changed_keys where exists (select from changed_rows);
  end if;
  if found and wanted & 4 = 4 then
    perform pg_notify('service_changes', '');
  end if;
  return null;
end $$;

comment on function service_private.announce_change() is
  'Trigger, after a statement: writes into service.changes that rows of its table changed, if a gateway has asked '
  '(service_private.lease_changes), and rings on channel service_changes for one that sleeps. Its argument is the column whose values tell '
  'the rows apart; without one keys are not told, nor are those of more than 100 rows.';

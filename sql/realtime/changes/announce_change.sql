-- Whoever asked, before or after this statement began, is seen here: each query of a volatile function has a snapshot of its own.
-- In a transaction with one snapshot for all that is not so; it always tells, and rings.
-- Who is not seen for it came later knows which transactions were under way then, and looks again when they are over.
-- Rows are c.*: c alone would be a column of that name.
create or replace function service.announce_change() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  most constant integer := 100;
  sleeping boolean;
  keyed boolean;
  changed_keys text[];
begin
  select bool_or(not l.awake), bool_or(l.keyed) and tg_nargs > 0 into sleeping, keyed
  from service.change_leases l
  where l.relation = tg_relid and l.until > clock_timestamp();
  if current_setting('transaction_isolation') <> 'read committed' then
    sleeping := true;
  elsif sleeping is null then
    return null;
  end if;
  if tg_op = 'TRUNCATE' then
    insert into service.changes (relation) values (tg_relid);
  else
    if keyed then
      changed_keys := array(select to_jsonb(c.*) ->> tg_argv[0] from changed_rows c limit most + 1);
      if cardinality(changed_keys) > most then
        changed_keys := null;
      elsif tg_op = 'UPDATE' then
        changed_keys := changed_keys || array(select to_jsonb(c.*) ->> tg_argv[0] from old_rows c);
      end if;
    end if;
    insert into service.changes (relation, keys) select tg_relid, changed_keys where exists (select from changed_rows);
  end if;
  if found and sleeping then
    perform pg_notify('service_changes', '');
  end if;
  return null;
end $$;

comment on function service.announce_change() is
  'Trigger, after a statement: writes into service.changes that rows of its table changed, if a gateway has asked (service.ask_changes), '
  'and rings on channel service_changes for one that sleeps. Its argument is the column whose values tell the rows apart; without one '
  'keys are not told, nor are those of more than 100 rows.';

revoke all on function service.announce_change() from public;

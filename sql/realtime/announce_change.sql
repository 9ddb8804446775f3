-- Whoever asked, before or after this statement began, is seen here: each query of a volatile function has a snapshot of its own.
-- In a transaction with one snapshot for all that is not so; it always tells, and rings.
-- Who is not seen for it came later knows which transactions were under way then, and looks again when they are over.
create or replace function service.announce_change() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  one_snapshot constant boolean := current_setting('transaction_isolation') in ('repeatable read', 'serializable');
  sleeping boolean;
  keyed boolean;
  most constant integer := 100;
  found_rows integer;
  found_keys text[];
begin
  select bool_or(not r.awake), bool_or(l.keyed) into sleeping, keyed
  from service.change_leases l
  join service.change_readers r on r.id = l.reader and r.until > clock_timestamp()
  where l.relation = tg_relid;
  if sleeping is null and not one_snapshot then
    return null;
  end if;
  keyed := keyed and tg_nargs > 0;
  if tg_op = 'TRUNCATE' then
    found_rows := 1;
    keyed := false;
  elsif tg_op = 'INSERT' then
    select count(*), array_agg(k.key) into found_rows, found_keys
    from (select case when keyed then to_jsonb(n) ->> tg_argv[0] end as key from new_rows n limit most + 1) k;
  elsif tg_op = 'DELETE' then
    select count(*), array_agg(k.key) into found_rows, found_keys
    from (select case when keyed then to_jsonb(o) ->> tg_argv[0] end as key from old_rows o limit most + 1) k;
  else
    select count(*), array_agg(k.key) into found_rows, found_keys
    from (
      select case when keyed then to_jsonb(o) ->> tg_argv[0] end as key from old_rows o
      union
      select case when keyed then to_jsonb(n) ->> tg_argv[0] end from new_rows n
      limit most + 1) k;
  end if;
  if found_rows > 0 then
    insert into service.changes (relation, keys)
    values (tg_relid, case when keyed and found_rows <= most then found_keys end);
    if sleeping or one_snapshot then
      perform pg_notify('service_changes', '');
    end if;
  end if;
  return null;
end $$;

comment on function service.announce_change() is
  'Trigger, after a statement: writes into service.changes that rows of its table changed, if a gateway has asked (service.ask_changes), '
  'and rings on channel service_changes for one that sleeps. Its argument is the column whose values tell the rows apart; without one '
  'keys are not told, nor are those of more than 100 rows.';

revoke all on function service.announce_change() from public;

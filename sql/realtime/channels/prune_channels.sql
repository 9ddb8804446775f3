-- Each channel at most every 30 seconds. Few rows at a time, because broadcasts there wait; the rest stays due.
-- Without a rule nothing is deleted: a start with the wrong settings must not cost the history.
create or replace function service_private.prune_channels() returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  least_rest constant interval := interval '30 seconds';
  batch constant integer := 5000;
  due record;
  removed integer;
  left_to_remove integer := batch;
begin
  for due in
    select c.channel, c.seq, r.most, r.life
    from service.channel_cursors c
    left join lateral service_private.channel_rule(c.channel) r on true
    where c.prune_at <= clock_timestamp()
    order by c.prune_at
    limit 500
    for update of c skip locked
  loop
    delete from service.channel_messages m
    using (
      select o.seq, o.at from service.channel_messages o where o.channel = due.channel order by o.seq limit batch) o
    where m.channel = due.channel and m.seq = o.seq and (o.seq <= due.seq - due.most or o.at < clock_timestamp() - due.life);
    get diagnostics removed = row_count;
    update service.channel_cursors c
    set prune_at = case when removed = batch then clock_timestamp() else greatest(clock_timestamp() + least_rest, due.life + (
      select o.at from service.channel_messages o where o.channel = due.channel order by o.seq limit 1)) end
    where c.channel = due.channel;
    update service.channel_cursors c set prune_at = null
    where c.channel = due.channel and removed < batch
      and (due.life is null or not exists (select from service.channel_messages o where o.channel = due.channel));
    left_to_remove := left_to_remove - removed;
    exit when left_to_remove <= 0;
  end loop;
end $$;

comment on function service_private.prune_channels() is
  'Deletes messages that no rule keeps any longer, of channels where that is due. Called by gateways every 10 seconds.';

-- One gateway at a time.
create or replace function service_private.sweep_metrics(most integer) returns integer
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  swept integer := 0;
begin
  if pg_try_advisory_xact_lock(7261947, 4) then
    delete from service.metric_samples m
    where m.ctid = any (array(
      select o.ctid
      from unnest('{cpu_millicores,memory_bytes,requests_total,errors_total,event_loop_delay_ms}'::text[]) s (series)
      join service.metric_samples o on o.series = s.series and o.at < now() - interval '14 days'
      limit most));
    get diagnostics swept = row_count;
  end if;
  return swept;
end $$;

comment on function service_private.sweep_metrics(integer) is
  'Deletes at most so many numbers of service.metric_samples that are older than 14 days. How many; 0 while another session does it.';

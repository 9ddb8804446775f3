create or replace function service_private.cron_problems(crons jsonb) returns table (path text, problem text)
  language plpgsql stable as $$
declare
  cron record;
begin
  for cron in select c.key as id, c.value as setting from jsonb_each(crons) c order by c.key loop
    path := cron.id || '.schedule';
    begin
      perform service.cron_next(cron.setting ->> 'schedule', 'UTC') where cron.setting ? 'schedule';
    exception when sqlstate 'GW400' then
      problem := rtrim(sqlerrm, '.');
      return next;
    end;
    path := cron.id || '.timezone';
    begin
      perform service_private.require_time_zone(coalesce(cron.setting ->> 'timezone', 'UTC'));
    exception when sqlstate 'GW400' then
      problem := rtrim(sqlerrm, '.');
      return next;
    end;
    path := cron.id || '.function';
    problem := (select f.problem from service_private.service_function(cron.setting ->> 'function') f where cron.setting ? 'function');
    if problem is not null then
      return next;
    end if;
  end loop;
end $$;

comment on function service_private.cron_problems(jsonb) is
  'The faults of scheduled jobs, given as the key crons of the settings file: schedules and zones that cannot be read, '
  'functions that are not there.';

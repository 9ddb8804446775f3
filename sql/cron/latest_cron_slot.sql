-- Bisects: a window may hold ten thousand slots.
create or replace function service_private.latest_cron_slot(schedule text, timezone text, since timestamptz, until timestamptz)
  returns timestamptz
  language plpgsql stable as $$
declare
  latest timestamptz := service.cron_next(schedule, timezone, since);
  following timestamptz;
  beyond timestamptz := until;
  middle timestamptz;
begin
  if latest is null or latest > until then
    return null;
  end if;
  loop
    following := service.cron_next(schedule, timezone, latest);
    exit when following is null or following > until;
    latest := following;
    middle := latest + (beyond - latest) / 2;
    following := service.cron_next(schedule, timezone, middle);
    if following is null or following > until then
      beyond := middle;
    else
      latest := following;
    end if;
  end loop;
  return latest;
end $$;

comment on function service_private.latest_cron_slot(text, text, timestamptz, timestamptz) is
  'The last time that a schedule came due after one instant and not after another; null where it did not.';

-- A local time is an instant by each offset of its zone that leads back to it: by two in an hour that comes twice, by none in one that is
-- skipped. A day is looked at together with the next, because a zone may go back over midnight. Days match as in cron(5): a field that
-- begins with * is not restricted, */2 neither.
create or replace function service.cron_next(schedule text, timezone text default 'UTC', after timestamptz default now())
  returns timestamptz
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  fields text[] := regexp_split_to_array(btrim(schedule, E' \t'), '[ \t]+');
  minutes integer[];
  hours integer[];
  days integer[];
  months integer[];
  weekdays integer[];
  either boolean;
  today date;
  day date;
  next timestamptz;
begin
  if cardinality(fields) is distinct from 5 then
    perform service.fail(400, 'INVALID_INPUT', 'A schedule has five fields: minute, hour, day of the month, month, day of the week.');
  end if;
  minutes := service_private.cron_field(fields[1], 0, 59, 'minute');
  hours := service_private.cron_field(fields[2], 0, 23, 'hour');
  days := service_private.cron_field(fields[3], 1, 31, 'day of the month');
  months := service_private.cron_field(fields[4], 1, 12, 'month');
  weekdays := service_private.cron_field(fields[5], 0, 6, 'day of the week');
  either := not (starts_with(fields[3], '*') or starts_with(fields[5], '*'));
  perform service_private.require_time_zone(timezone);
  if not isfinite(after) then
    return null;
  end if;
  today := after at time zone timezone;
  for day in
    select d::date
    from generate_series(today - 1, today + interval '4 years 2 days', interval '1 day') d
    where extract(month from d) = any (months) and case when either
      then extract(day from d) = any (days) or extract(dow from d) = any (weekdays)
      else extract(day from d) = any (days) and extract(dow from d) = any (weekdays)
    end
  loop
    select min(i.instant)
      into next
    from unnest(array[day, day + 1]) d
    cross join (
      select distinct (o at time zone timezone) - (o at time zone 'UTC') as shift
      from generate_series((day - 1)::timestamp at time zone 'UTC', (day + 3)::timestamp at time zone 'UTC', interval '1 day') o) s
    cross join unnest(hours) h
    cross join unnest(minutes) m
    cross join lateral (select d + make_interval(hours => h, mins => m) as clock) l
    cross join lateral (select (l.clock at time zone 'UTC') - s.shift as instant) i
    where extract(month from d) = any (months) and case when either
        then extract(day from d) = any (days) or extract(dow from d) = any (weekdays)
        else extract(day from d) = any (days) and extract(dow from d) = any (weekdays)
      end
      and i.instant > after and i.instant at time zone timezone = l.clock;
    if next is not null then
      return case when next <= after + interval '4 years 1 day' then next end;
    end if;
  end loop;
  return null;
end $$;

comment on function service.cron_next(text, text, timestamptz) is
  'When a schedule comes due next after an instant: minute, hour, day of the month, month and day of the week (0 is Sunday), by the clock '
  'of a zone of the IANA database. All fields must match; where both day fields are given (do not begin with *), one of the two. In an '
  'hour that comes twice it is due twice, in one that is skipped not at all. Null when it is not due within four years and a day. GW400 '
  'INVALID_INPUT for a schedule or a zone that cannot be read.';

-- Example: select service.cron_next('30 2 * * 1-5', 'Europe/Berlin');

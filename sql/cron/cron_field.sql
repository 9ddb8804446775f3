-- N/S goes from N to the end of the field, as */S does from its beginning.
create or replace function service_private.cron_field(field text, lowest integer, highest integer, name text) returns integer[]
  language plpgsql immutable as $$
declare
  item text;
  part text[];
  first integer;
  last integer;
  step integer;
  found integer[] := '{}';
begin
  foreach item in array string_to_array(field, ',') loop
    part := regexp_match(item, '^(?:(\*)|([0-9]{1,4})(?:-([0-9]{1,4}))?)(?:/([0-9]{1,4}))?$');
    first := case when part[1] is not null then lowest else part[2]::integer end;
    last := case when part[1] is not null or (part[3] is null and part[4] is not null) then highest
      else coalesce(part[3], part[2])::integer end;
    step := coalesce(part[4]::integer, 1);
    if part is null or step < 1 or first < lowest or last > highest or first > last then
      perform service.fail(400, 'INVALID_INPUT',
        format('%s is no %s of a schedule: *, numbers from %s to %s, ranges (a-b), steps (/n), or a list of these.',
          quote_literal(left(item, 100)), name, lowest, highest));
    end if;
    found := found || array(select generate_series(first, last, step));
  end loop;
  return array(select distinct number from unnest(found) number order by number);
end $$;

comment on function service_private.cron_field(text, integer, integer, text) is
  'The numbers that a field of a cron schedule names, in order; GW400 INVALID_INPUT for one that cannot be read.';

-- An index of a list leads to one of its elements, and may be left out: a closed part is closed in each. The
-- strictest verdict of the types of a block comes first in the alphabet.
create or replace function service_private.reached_part(closed jsonb, path text[]) returns text
  language plpgsql immutable as $$
declare
  next constant text := path[1];
  place constant boolean := coalesce(next like '#%', false);
  further constant text[] := case when place then path[2:] else path end;
begin
  return case
    when closed is null or closed = 'null' then 'open'
    when jsonb_typeof(closed) = 'string' then closed #>> '{}'
    when next is null then 'holds'
    when closed ? 'items' then coalesce(nullif(service_private.reached_part(closed -> 'items', further), 'open'), 'unclear')
    when closed ? 'types' and further = '{}' then 'holds'
    when closed ? 'types' and further[1] = '.' || (closed ->> 'valueField') then (
      select coalesce(nullif(min(service_private.reached_part(t.value, further[2:])), 'open'), 'unclear')
      from jsonb_each(closed -> 'types') t)
    when next like '.%' then service_private.reached_part(closed -> 'parts' -> substr(next, 2), path[2:])
    else 'unclear'
  end;
end $$;

comment on function service_private.reached_part(jsonb, text[]) is
  'The verdict on a path into a value with these closed parts (service_private.closed_parts, of act read): closed, excluded, holds (a '
  'closed part), open, or unclear, where elements and parameters decide. A segment is .name, $n or #n (service_private.hoist_field).';

-- A condition that is lost would open rows, so NULL is no condition.
create or replace function service_private.conjunction(conditions text[]) returns text
  language plpgsql immutable parallel safe as $$
begin
  if conditions is null or array_position(conditions, null) is not null then
    raise exception using errcode = 'internal_error', message = 'A condition is null.';
  end if;
  return (select string_agg(service_private.indented(c, 2), E'\n  and ' order by n) from unnest(conditions) with ordinality u (c, n));
end $$;

comment on function service_private.conjunction(text[]) is
  'SQL text of conditions that must all hold, as it stands after WHERE, one a line; null for an empty list. XX000 when the list or '
  'one of them is null.';

-- Postgres would cut a long name silently, and with it the suffix that tells what it is; two cut names may be one.
create or replace function service_private.short_name(stem text, suffix text) returns text
  language plpgsql immutable parallel safe as $$
begin
  if octet_length(stem || suffix) <= 63 then
    return stem || suffix;
  end if;
  return (
    select left(stem, n) || '_' || service_private.short_hash(stem) || suffix
    from generate_series(least(length(stem), 63), 0, -1) n
    where octet_length(left(stem, n)) <= 63 - 8 - octet_length(suffix)
    limit 1);
end $$;

comment on function service_private.short_name(text, text) is
  'A name of at most 63 bytes: the stem and the suffix; a stem that is too long is cut (between characters) and gets seven hex '
  'digits that stand for the whole of it. The suffix is never cut.';

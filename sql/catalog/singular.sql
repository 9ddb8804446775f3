-- A lookup for each length that an ending may have: 2,000 names take 40 ms, where one query over the list for each takes 300. No ending is
-- longer than a name may be, and a longer name took the square of its length: 20 KB two seconds.
create or replace function service_private.singular(name text) returns text
  language plpgsql immutable parallel safe as $$
declare
  plurals constant jsonb := service_private.plurals();
  words constant text := lower(regexp_replace('_' || name, '(?:-|([[:lower:]])(?=[[:upper:]]))', '\1_', 'g'));
  ending text;
  written text;
begin
  for size in reverse least(length(words), 63) .. 1 loop
    ending := right(words, size);
    continue when not plurals ? ending;
    written := right(name, length(ltrim(ending, '_')));
    return coalesce(nullif(left(name, -length(written)) || case written
      when ltrim(ending, '_') then plurals ->> ending
      when initcap(written) then initcap(plurals ->> ending)
      else upper(plurals ->> ending) end, ''), name);
  end loop;
  return name;
end $$;

comment on function service_private.singular(text) is
  'The singular of an English plural, of the last word of a name: categories is category, orderItems is orderItem, addresses is '
  'address, status and series stay (service_private.plurals).';

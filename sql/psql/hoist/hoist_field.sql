-- As the grammar of the gateway does it, which says why.
create or replace function service_private.hoist_field(field text, inout parameters text[], out hoisted text)
  language plpgsql stable as $$
declare
  segment text;
begin
  hoisted := coalesce((
    select left(field, s.start + length(p.column_name))
    from service.properties p
    cross join lateral (
      select case when starts_with(field, p.column_name) then 0 else nullif(strpos(field, '.' || p.column_name), 0) end) s (start)
    where p.column_name like '%->%' and not p.excluded
      and strpos(field, '->') > s.start and substr(field, s.start + length(p.column_name) + 1) ~ '^($|->)'
    order by length(p.column_name) desc, p.column_name
    limit 1), split_part(field, '->', 1));
  foreach segment in array (regexp_split_to_array(substr(field, length(hoisted) + 1), '->>?'))[2:] loop
    if exists (select from service.properties p where p.attributes #> '{restricted,names}' ? segment) then
      hoisted := concat(hoisted, '->.', segment);
    else
      parameters := parameters || segment;
      hoisted := concat(hoisted, '->', case when segment ~ '^-?[0-9]+$' then '#' else '$' end, cardinality(parameters));
    end if;
  end loop;
end $$;

comment on function service_private.hoist_field(text, text[]) is
  'A field name with its path inside JSON taken out: metadata->address->>city is metadata->$6->$7; a segment that is a whole '
  'number has # for $; one that is the name of a part in a field with restricted parts stays: file->.secret.';

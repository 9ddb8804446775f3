-- As the grammar of the gateway does it, which says why.
create or replace function service.hoist_field(field text, inout parameters text[], out hoisted text)
  language plpgsql immutable as $$
declare
  segment text;
  n bigint;
begin
  for segment, n in select s.segment, s.n from regexp_split_to_table(field, '->>?') with ordinality as s (segment, n) loop
    if n = 1 then
      hoisted := segment;
    else
      parameters := parameters || segment;
      hoisted := concat(hoisted, '->', case when segment ~ '^-?[0-9]+$' then '#' else '$' end, cardinality(parameters) + 1);
    end if;
  end loop;
end $$;

comment on function service.hoist_field(text, text[]) is
  'A field name with its path inside JSON taken out: metadata->address->>city is metadata->$2->$3; a segment that is a whole '
  'number has # for $.';

revoke all on function service.hoist_field(text, text[]) from public;

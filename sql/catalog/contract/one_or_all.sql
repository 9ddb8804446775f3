create or replace function service_private.one_or_all(names text[]) returns jsonb
  language sql immutable parallel safe
  return case when cardinality(names) = 1 then to_jsonb(names[1]) else to_jsonb(names) end;

comment on function service_private.one_or_all(text[]) is 'One name as itself, several as a list.';

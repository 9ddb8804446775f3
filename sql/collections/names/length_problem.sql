-- PostgreSQL would cut it without a word. Stable, as format() is: so it is inlined.
create or replace function service_private.length_problem(name text, what text) returns text
  language sql stable parallel safe
  return case when octet_length(name) > 63 then format('%s %s is longer than the 63 bytes of a name in PostgreSQL', what, name) end;

comment on function service_private.length_problem(text, text) is 'Why a name cannot be that of something in PostgreSQL; null when it can.';

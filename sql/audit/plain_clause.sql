create or replace function service_private.plain_clause(expression text) returns text
  language sql immutable parallel safe
begin atomic
  select regexp_replace(regexp_replace(plain.text, '^\((.*)\)$', '\1'), '^\((.*)\)$', '\1')
  from (select regexp_replace(expression, '\( SELECT ([^()]*\((?:[^()])*\)) AS \w+\)', '\1', 'g') as text) plain;
end;

comment on function service_private.plain_clause(text) is
  'A clause of a policy, as PostgreSQL writes it, without the queries around single calls and without outer brackets: for patterns.';

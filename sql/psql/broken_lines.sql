-- What stands between quotes is passed over: a line break inside a literal would be another literal.
create or replace function service.broken_lines(statement text) returns text
  language sql immutable parallel safe
begin atomic
  select string_agg(case when p.n % 2 = 1
      then regexp_replace(p.part, ' (?=(from|cross join|left join|join|where|and|or|order by|group by|limit|offset|union all)\M)|(?<=[(,] ?)(?=select\M)', E'\n', 'g')
      else p.part end, '''' order by p.n)
  from regexp_split_to_table(broken_lines.statement, '''') with ordinality p (part, n);
end;

comment on function service.broken_lines(text) is 'A statement in lines that a reader can follow, the same SQL.';

revoke all on function service.broken_lines(text) from public;

-- One column: an array from the rows above, which an index or a scan serves as the planner sees fit. Several: IN, which takes
-- the operators that are called =.
create or replace function service_private.reached_by(alias text, columns text[], operators text[], parent_rows text, parent_columns text[])
  returns text
  language sql immutable parallel safe
  return case when cardinality(columns) = 1
    then format('%s.%I %s any (array(select p.%I from %I p))', alias, columns[1], operators[1], parent_columns[1], parent_rows)
    when '=' <> any (operators)
    then format('exists (select from %I p where %s)', parent_rows,
      array_to_string(service_private.column_pairs(alias, columns, operators, 'p', parent_columns), ' and '))
    else format('(%s) in (select %s from %I p)', service_private.column_list(alias, columns),
      service_private.column_list('p', parent_columns), parent_rows) end;

comment on function service_private.reached_by(text, text[], text[], text, text[]) is
  'SQL text: these columns of the alias equal those columns of one of the parent rows.';

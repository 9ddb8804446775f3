-- The column's own rules hold for a table of one column: no subquery, no column, no set, and only casts that an assignment does.
create or replace function service_private.default_fault(expression text, type text) returns text
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  return service_private.restricted_fault(array[
    format('create temporary table tried (value %s default (%s))', coalesce(to_regtype(type)::text, 'text'), expression),
    'insert into tried default values']);
end $$;

comment on function service_private.default_fault(text, text) is
  'Why one SQL expression (service_private.expression_fault) cannot be the default of a column for requests, in PostgreSQL''s words: '
  'service_user makes such a column and a row with it. Null when it can. A type that is not there yet counts as text.';

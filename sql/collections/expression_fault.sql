-- PostgreSQL's own parser reads the text twice, inside ( ) and inside [ ]. It reads a whole string before it looks at the
-- first word of it, so whatever the text holds, the statement that begins in front of it is looked at first, and fails:
-- two of its tables have one name. Nothing after that is looked at, let alone run. So 42712 says that the whole was read.
-- Why a text that is read both times is one expression:
-- - In PostgreSQL's grammar each production that has an opening ( or [ has its closing one (counted: 3,207 productions
--   of version 15, 3,407 of 17), so in what it reads the brackets match. A text that closes our bracket closes a round one
--   and a square one with the same character. So our two brackets belong together, and the text lies between them.
-- - What a condition may have between ( ) is an expression, a list of several, or a query; no production within these
--   has a semicolon. What a subscript may have between [ ] is an expression, or a slice a:b. Both may have the first only.
-- - A quote, comment or dollar quote that the text leaves open swallows our bracket, which is an error; -- at its end too,
--   because no line break stands between. So its words are the same ones wherever it stands between brackets.
-- What is read with other rules for backslashes may be other words: so service.provision() keeps to those of here.
create or replace function service_private.expression_fault(expression text) returns text
  language plpgsql volatile set standard_conforming_strings = on as $$
declare
  context text;
begin
  foreach context in array array['(%s)', 't[%s]'] loop
    begin
      execute format('select from (values (1)) t, (values (1)) t where ' || context, expression);
    exception
      when duplicate_alias then null;
      when others then return regexp_replace(sqlerrm, '[[:cntrl:]]+', ' ', 'g');
    end;
  end loop;
  return null;
end $$;

comment on function service_private.expression_fault(text) is
  'Why a text is not exactly one SQL expression, in PostgreSQL''s words; null when it is one, so that it can stand between parentheses '
  'in a statement and nothing of it reaches out of them. Runs nothing of it, and looks up none of its names.';

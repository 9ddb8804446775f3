-- PostgreSQL's own parser reads the text twice, inside ( ) and inside [ ]. It reads a whole string before it analyses
-- the first statement, so regardless of the text, the statement that begins in front of it is analysed first, and
-- fails: two of its tables have one name. Nothing after that is analysed, let alone run. So 42712 proves that the
-- whole was parsed. A text that parses both times is one expression, because:
-- - In PostgreSQL's grammar each production with an opening ( or [ has its closing one (counted: 3,207 productions of
-- version 15, 3,407 of 17), so the brackets of parsed text match. A text that closes our bracket closes a round one
-- and a square one with the same character. So our two brackets belong together, and the text lies between them.
-- - A condition between ( ) is an expression, a list of several, or a query; no production within these has a
-- semicolon. A subscript between [ ] is an expression, or a slice a:b. Both may have the first only.
-- - A quote, comment or dollar quote that the text leaves open swallows our bracket, which is an error; -- at its end
-- too, because there is no line break in between. So its tokens are the same wherever it appears between brackets.
-- Other rules for backslashes may yield other tokens: so service.provision() keeps to those of here.
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

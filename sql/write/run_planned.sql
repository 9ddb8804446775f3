-- One call for statements of two parameters (body, id) and of six (caller, id): a text takes no notice of what it does not name.
create or replace function service_private.run_planned(statement text, parameters text[]) returns text
  language plpgsql volatile as $$
declare
  answer text;
begin
  if statement is null then
    return null;
  end if;
  execute statement into answer
  using parameters[1], parameters[2], parameters[3], parameters[4], parameters[5], parameters[6];
  return answer;
end $$;

comment on function service_private.run_planned(text, text[]) is
  'Runs a statement of a write plan with its parameters: the first column of its first row as text, null without a row, or a statement.';

grant execute on function service_private.run_planned(text, text[]) to service_user;

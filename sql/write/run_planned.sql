create or replace function service.run_planned(name text, statement text, first text, second text) returns text
  language plpgsql volatile as $$
declare
  answer text;
begin
  if name is null then
    execute statement into answer using first, second;
  else
    execute format('execute %I (%L, %L)', name, first, second) into answer;
  end if;
  return answer;
end $$;

comment on function service.run_planned(text, text, text, text) is
  'Runs a statement of a write plan with its two parameters, under its prepared name when it has one: the first column of its '
  'first row as text, null without a row.';

revoke all on function service.run_planned(text, text, text, text) from public;
grant execute on function service.run_planned(text, text, text, text) to service_user;

-- One call for statements of two parameters (body, id) and of six (caller, id): a text takes no notice of what it does not name.
create or replace function service.run_planned(name text, statement text, parameters text[]) returns text
  language plpgsql volatile as $$
declare
  answer text;
begin
  if name is null then
    execute statement into answer
    using parameters[1], parameters[2], parameters[3], parameters[4], parameters[5], parameters[6];
  else
    execute format('execute %I (%s)', name,
      (select string_agg(quote_nullable(p.value), ', ' order by p.n) from unnest(parameters) with ordinality p (value, n)))
    into answer;
  end if;
  return answer;
end $$;

comment on function service.run_planned(text, text, text[]) is
  'Runs a statement of a write plan with its parameters, under its prepared name when it has one: the first column of its first '
  'row as text, null without a row.';

revoke all on function service.run_planned(text, text, text[]) from public;
grant execute on function service.run_planned(text, text, text[]) to service_user;

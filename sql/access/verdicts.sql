-- All of it is undone: the role, who the caller is, and what a function of a policy may have written. An expression runs as the caller,
-- so that its subqueries are under row security and it does nothing that the caller could not do. The timeout of a statement fires once:
-- after it nothing is tried any more.
create or replace function service_private.verdicts(
  expressions text[], source text, claims jsonb, stored text default null, changed jsonb default '{}')
  returns table (verdict text, message text)
  language plpgsql volatile
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set jit = off as $$
declare
  caller constant text[] := service_private.caller(claims);
  -- One that several policies or clauses have is asked once.
  asked constant text[] := array(
    select e.expression from unnest(expressions) with ordinality e (expression, n) group by 1 order by min(e.n));
  expression text;
  found text;
  is_late boolean := false;
  verdicts text[] := '{}';
  messages text[] := '{}';
begin
  begin
    perform set_config('role', 'service_user', true), set_config('request.jwt.claims', '{}', true);
    perform service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
    foreach expression in array asked loop
      verdict := 'not tried';
      message := null;
      if not is_late then
        begin
          execute format('select (%s)::text from %s', expression, source) into found using stored, changed;
          verdict := coalesce(found, 'null');
        exception when query_canceled or others then
          is_late := sqlstate = '57014';
          verdict := 'error ' || sqlstate;
          message := sqlerrm;
        end;
      end if;
      verdicts := verdicts || verdict;
      messages := messages || message;
    end loop;
    raise exception using errcode = 'GW000', message = 'undone';
  exception when sqlstate 'GW000' then
    null;
  end;
  return query
  select v.verdict, v.message
  from unnest(expressions) with ordinality e (expression, n)
  join unnest(asked, verdicts, messages) v (expression, verdict, message) on v.expression = e.expression
  order by e.n;
end $$;

comment on function service_private.verdicts(text[], text, jsonb, text, jsonb) is
  'Evaluates conditions, or other expressions, as the caller with these claims, in their order. source: what stands in FROM, the row that '
  'is judged (service_private.tried_row, with its values, stored and changed). verdict: its value as text, such as true, false and '
  'null; error and its SQLSTATE, or not tried, after an error by the statement timeout. Changes nothing.';

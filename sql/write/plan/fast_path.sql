-- Most writes break no rule and set nothing off that could change the row once it is stored. They are one statement: a
-- create takes 150 microseconds instead of 245, where the insert alone takes 92.
-- It only ever says yes. Without a row, and after an error, nothing is stored, and service.write finds out why.
-- The gate stands above every
-- scan: for an update as a condition without columns, which the planner makes a One-Time Filter above the join.
create or replace function service.fast_path(served service.collections, shape jsonb, plan jsonb, target text[], roles text[])
  returns text
  language plpgsql stable as $$
declare
  op text := shape ->> 'op';
  sent text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  answer text := '''''';
  conditions text[];
  statement text;
begin
  if not service.is_plain(served, op, plan) or not exists (select from service.written_columns(served, op, sent)) then
    return null;
  end if;
  if not shape ? 'return' then
    answer := service.fill('
      (
        select service.bounded_answer(r.body, <most>)
        from (
          select to_json(d.*)::text as body
          from (
            select
              <columns>
          ) d
          offset 0
        ) r
      ) as body',
      'most', service.bound(shape, 'answer')::text,
      'columns', array_to_string(service.shown_columns(served.slug, 't', shape - 'body', roles), E',\n'));
  end if;
  conditions := array['ctx.ok', 'strpos(ctx.body::text, ''"$'') = 0'] || service.value_conditions(plan, 'ctx.body');
  statement := service.fill('
    with ctx as materialized (select service.enter($1, $2, $3, $4, $5) as ok, $6::jsonb -> ''body'' as body)
    <write>',
    'write', case op
      when 'create' then service.insert_statement(served, sent, 'ctx.body', answer, '{ctx}', conditions,
        service.conflict_clause(served, sent, target))
      else service.update_statement(served, sent, 'ctx.body', answer, '{(select c.ok from ctx c)}' || conditions
        || service.key_conditions(served.slug, 't', '$7') || service.live_conditions(served.slug, 't'), '{ctx}') end);
  return case when not service.needs_entering(statement) then statement end;
end $$;

comment on function service.fast_path(service.collections, jsonb, jsonb, text[], text[]) is
  'The one statement of a write of this shape and plan (service.write_plan): $1 to $5 caller, $6 request, $7 id of an update; one row, '
  'whose body is the row as the caller reads it, a blank for return=minimal; no row when service.write must judge. Null for what '
  'is never written so: what is not service.is_plain, or sets nothing.';

revoke all on function service.fast_path(service.collections, jsonb, jsonb, text[], text[]) from public;

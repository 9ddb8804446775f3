-- The values are read as those of a write are (service_private.stored_expression), once, after the caller was entered: a domain may
-- call anything. Values that JSON would read as another type in silence are refused.
create or replace function service_private.given_arguments(shape jsonb) returns text
  language plpgsql stable as $$
declare
  body text := '$' || (shape #>> '{call,body}');
  form text;
  argument record;
  read_as text;
  expression text;
  values text[] := '{}';
  fields text[] := '{}';
  types text[] := '{}';
begin
  -- As json where json is asked for: it is passed on as it was sent.
  form := (
    select case when bool_or(service_private.sql_type(a.type) in ('json', 'json[]')) then 'json' else 'jsonb' end
    from service_private.sent_arguments(shape) a);
  for argument in
    select a.*, service_private.declared_type(a.type) as declared from service_private.sent_arguments(shape) a order by a.n
  loop
    if argument.field is null then
      expression := format('%s::%s', body, argument.declared);
    else
      select s.read_as, s.expression into read_as, expression
      from service_private.stored_expression(argument.field,
        service_private.argument_property(shape, argument.field, argument.type), null) s;
      fields := fields || argument.field;
      types := types || read_as;
      expression := service_private.checked_argument(shape, argument.field, argument.type,
        format('(%s::%s -> %L)::jsonb', body, form, argument.field), format('(%s)::%s', expression, argument.declared));
    end if;
    values := values || format('%s as %I', expression, 'a' || argument.n);
  end loop;
  return case when values <> '{}' then service_private.fill($sql$
      cross join lateral (
        select
          <values>
        from <record>
        where ctx.ok
        offset 0
      ) given
    $sql$,
    'values', array_to_string(values, E',\n'),
    'record', coalesce(service_private.sent_record(format('case when ctx.ok then %s::%s end', body, form), fields, types),
      '(values (true)) r')) end;
end $$;

comment on function service_private.given_arguments(jsonb) is
  'SQL text, in FROM after ctx, of the arguments that a call sends as columns of given: a1, a2 … by their places; null where it '
  'sends none.';

create or replace function service_private.operand(field text, condition jsonb, out operator text, out symbol text, out template text,
  out families text[], out negated text, out takes text, out parameter integer, out list boolean)
  language plpgsql stable as $$
begin
  select o.operator, o.symbol, o.template, o.families, o.negated, o.takes into operator, symbol, template, families, negated, takes
  from service_private.operators() o where o.operator = condition ->> 0;
  if operator is null then
    perform service.fail(400, 'UNKNOWN_FILTER_OPERATOR', format('There is no operator %s.', condition ->> 0),
      jsonb_build_object('field', field, 'operator', condition ->> 0,
        'validOperators', (select jsonb_agg(o.operator) from service_private.operators() o)));
  end if;
  list := jsonb_typeof(condition -> 1) = 'array';
  parameter := case when list then condition -> 1 ->> 0 else condition ->> 1 end;
  if takes <> 'nothing' and (parameter is null or list <> (takes = 'list')) then
    perform service.fail(400, 'INVALID_WHERE',
      format('Operator %s on %s takes %s.', operator, field, case takes when 'list' then 'a list' else 'one value' end),
      jsonb_build_object('field', field, 'operator', operator));
  end if;
end $$;

comment on function service_private.operand(text, jsonb) is
  'A condition [operator, parameter] read: its row of service_private.operators(), the parameter''s number and whether it is a list '
  '([number]). GW400 UNKNOWN_FILTER_OPERATOR {field, operator, validOperators}, INVALID_WHERE when the value is not what the '
  'operator takes.';

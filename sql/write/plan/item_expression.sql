create or replace function service_private.item_expression(sent text, type text, template text) returns text
  language sql immutable parallel safe
  return case
    when type like '%[]' then service_private.fill('
      case when <sent> is not null then service_private.in_form_of(array(
        select <value> from unnest(<sent>) with ordinality e (item, n) order by e.n), <sent>) end',
      'sent', sent, 'value', service_private.fill(template, 'item', 'e.item'))
    else service_private.fill(template, 'item', sent)
  end;

comment on function service_private.item_expression(text, text, text) is
  'SQL text of a sent value, or of each item of a sent list (a type that ends in []), by a template of one <item>.';

create or replace function service.item_expression(sent text, type text, template text) returns text
  language sql immutable parallel safe
  return case
    when type like '%[]' then service.fill('
      case when <sent> is not null then array(
        select <value> from unnest(<sent>) with ordinality e (item, n) order by e.n) end',
      'sent', sent, 'value', service.fill(template, 'item', 'e.item'))
    else service.fill(template, 'item', sent)
  end;

comment on function service.item_expression(text, text, text) is
  'SQL text of a sent value, or of each item of a sent list (a type that ends in []), by a template of one <item>.';

revoke all on function service.item_expression(text, text, text) from public;

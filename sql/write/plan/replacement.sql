create or replace function service_private.replacement(field text, sent text, property service.properties, roles text[]) returns text
  language plpgsql stable as $$
declare
  closed constant jsonb := service_private.closed_parts_of(property, roles, 'replace');
begin
  return case when closed is null then sent else service_private.fill(
    'nullif(service_private.kept_parts(<collection>, <field>, coalesce(<sent>, ''null''), t.<column>, <closed>), ''null'')',
    'collection', quote_literal(property.collection), 'field', quote_literal(field), 'sent', sent,
    'column', quote_ident(property.column_name), 'closed', quote_literal(closed)) end;
end $$;

comment on function service_private.replacement(text, text, service.properties, text[]) is
  'SQL text of what a sent value (SQL text) leaves in the column of a stored row, t: service_private.kept_parts where parts of it are '
  'closed to these roles, else the value.';

-- The operand's own record hides that of the body.
create or replace function service_private.operand_items(field text, property service.properties, operation text) returns text
  language plpgsql stable as $$
begin
  return (
    select format('(select %s from jsonb_to_record(jsonb_build_object(%L, service_private.sent_operand(r.%I, %L))) r (%I %s))',
      e.expression, field, field, operation, field, e.read_as)
    from service_private.stored_expression(field, property, null) e);
end $$;

comment on function service_private.operand_items(text, service.properties, text) is
  'SQL text of the items of a $push or $pull (in r, a record, under the name of the field as jsonb), as an array of the column''s type.';

create or replace function service_private.operand_sql(
  operand jsonb, type text, collection text, alias text, checked_collection text, checked_alias text) returns text
  language plpgsql stable as $$
declare
  asked constant text := case operand ->> 'kind'
    when 'authUid' then 'service.uid()' when 'authClaim' then format('service.jwt() ->> %L', operand ->> 'name') end;
begin
  return case operand ->> 'kind'
    when 'field' then alias || '.' || quote_ident(service_private.field_column(collection, operand ->> 'name'))
    when 'outerField' then checked_alias || '.' || quote_ident(service_private.field_column(checked_collection, operand ->> 'name'))
    when 'literal' then quote_literal(case jsonb_typeof(operand -> 'value')
      when 'array' then array(select jsonb_array_elements_text(operand -> 'value'))::text else operand ->> 'value' end)
    when 'authRoles' then '(select string_to_array(service.roles(), '',''))'
    else case when type in ('text', 'character varying') then format('(select %s)', asked)
      else format('(select service.try_cast(%s, null::%s))', asked, type) end
  end;
end $$;

comment on function service_private.operand_sql(jsonb, text, text, text, text, text) is
  'An operand of a comparison between values of a type, as SQL; the rest as service_private.condition_sql.';

-- The check of service_private.violations as a condition. It is true only for values of the JSON type that is natural
-- to the property: one test, where service_private.fits_type takes several and each costs two microseconds to
-- prepare. Numbers in text and the like are left to service_private.write.
create or replace function service_private.value_condition(
  sent text, sent_text text, type text, sql_type text, attributes jsonb, is_part boolean default false) returns text
  language plpgsql stable as $$
declare
  json_type constant text := case type when 'date' then 'string' when 'map' then case when sql_type is null then 'object' end
    when 'string' then type when 'number' then type when 'boolean' then type when 'array' then type end;
  kept constant text[] := service_private.fit_conditions(sent, sent_text, type, sql_type, is_part)
    || service_private.rule_conditions(sent, sent_text, type, attributes) || service_private.part_conditions(sent, type, attributes);
begin
  return case
    when json_type is null and kept = '{}' then 'true'
    when json_type is null then format('(%s = ''null'' or %s)', sent, array_to_string(kept, E'\n  and '))
    when kept = '{}' then format('jsonb_typeof(%s) in (''null'', %L)', sent, json_type)
    else service_private.fill('
      case jsonb_typeof(<sent>)
        when ''null'' then true
        when <type> then <kept>
        else false
      end',
      'sent', sent, 'type', quote_literal(json_type), 'kept', array_to_string(kept, E'\nand '))
  end;
end $$;

comment on function service_private.value_condition(text, text, text, text, jsonb, boolean) is
  'SQL text of "service_private.violations finds nothing in this value": true, or it is not known. Errors of class 22 in it mean that '
  'there is something. sent, sent_text: SQL text of the value, jsonb and text; is_part: it stands in an array or a map.';

-- A field that is kept out of the API stays hidden, whether it is named or not.
create or replace function service_private.require_response_fields(collection text, fields jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  unknown text := (
    select f from jsonb_array_elements_text(fields) f
    where not exists (
      select from service.properties p
      where p.collection = require_response_fields.collection and f in (p.name, p.column_name))
    limit 1);
begin
  if unknown is not null then
    perform service_private.refuse_part(collection, unknown, roles);
    perform service.fail(400, 'UNKNOWN_RESPONSE_FIELD', format('%s has no field %s to answer with.', collection, unknown),
      jsonb_build_object('field', unknown, 'collection', collection, 'validFields', service_private.valid_fields(collection, roles)));
  end if;
end $$;

comment on function service_private.require_response_fields(text, jsonb, text[]) is
  'Nothing, or GW400 UNKNOWN_RESPONSE_FIELD {field, collection, validFields} when a write asks to be answered with a field that is '
  'not there.';

create or replace function service_private.composite(value jsonb, type anyelement, field text) returns anyelement
  language plpgsql stable parallel safe as $$
begin
  if jsonb_typeof(value) <> 'object' then
    raise data_exception using message = 'It is no object.';
  end if;
  return jsonb_populate_record(type, value);
exception when data_exception then
  if field is null then
    return null;
  end if;
  raise exception using
    errcode = 'GW400',
    message = format('The value for %s cannot be read as its type: %s', field, sqlerrm),
    detail = json_build_object('field', field, 'dbCode', sqlstate)::text,
    hint = 'INVALID_FILTER_VALUE';
end $$;

comment on function service_private.composite(jsonb, anyelement, text) is
  'A composite value from the object that rows show, of the type of a null: composite($6, null::pair, ''field''). Other text is null for '
  'an id (without a field); for a filter GW400 INVALID_FILTER_VALUE.';

grant execute on function service_private.composite(jsonb, anyelement, text) to service_user;

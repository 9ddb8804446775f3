create or replace function service_private.comparison_limit(sql_type text) returns text
  language sql stable
begin atomic
  select case
    when not service_private.is_sortable(sql_type) then 'none'
    when service_private.aggregate_call('min', '', jsonb_populate_record(null::service.properties,
      jsonb_build_object('sql_type', sql_type))) is null then 'order'
  end;
end;

comment on function service_private.comparison_limit(text) is
  'How far values of a type can be compared: none (they have no order, and so are not sorted or grouped by: xml, json, point), order '
  '(they have no min and max: macaddr, ranges, rows); null where all of it applies.';

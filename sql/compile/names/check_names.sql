-- Every read checks every parameter. A clause that a kind of read does not use is compiled like any other, and
-- discarded.
create or replace function service_private.check_names(collection text, shape jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  checked jsonb := shape -> 'checked';
  whole jsonb := shape || checked;
begin
  if checked ?| array['fields', 'include'] then
    perform service_private.shown_columns(collection, 't', whole, roles);
    perform service_private.include(collection, 'page', whole, roles);
  end if;
  if checked ? 'orderBy' then
    perform case when shape ->> 'op' = 'aggregate' then service_private.aggregate_order(collection, whole, roles)
      else service_private.page_order(collection, whole, roles) end;
  end if;
  if checked ? 'vector' then
    perform service_private.vector_property(collection, checked -> 'vector' ->> 'property', roles);
  end if;
  perform service_private.group_columns(collection, checked, roles, false), service_private.aggregate_columns(collection, checked, roles);
end $$;

comment on function service_private.check_names(text, jsonb, text[]) is
  'Nothing, or the refusal of a name in shape.checked ({orderBy, fields, distinct, include, vector, select, groupBy}): GW400 '
  'UNKNOWN_ORDER_BY_FIELD, UNKNOWN_FIELD, UNKNOWN_RELATION, UNKNOWN_VECTOR_PROPERTY, UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE '
  'and whatever those clauses are refused with where they are used.';

-- Through jsonb, as the trigger takes it from a snapshot: the two must be one text.
create or replace function service_private.entity_id(served service.collections, alias text) returns text
  language sql stable
begin atomic
  select format('to_jsonb(%s) #>> ''{}''', service_private.column_value(format('%s.%I', alias, p.column_name), p.sql_type))
  from service.properties p
  where p.collection = served.slug and p.name = served.key[1];
end;

comment on function service_private.entity_id(service.collections, text) is
  'SQL text of the id under which service.history has a row. Collections with history have a key of one column.';

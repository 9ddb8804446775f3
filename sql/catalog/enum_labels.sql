create or replace function service_private.enum_labels(type oid) returns jsonb
  language sql stable
begin atomic
  select jsonb_agg(e.enumlabel order by e.enumsortorder)
  from pg_type t
  join pg_enum e on e.enumtypid = service_private.base_type(case t.typcategory when 'A' then t.typelem else t.oid end)
  where t.oid = service_private.base_type(enum_labels.type);
end;

comment on function service_private.enum_labels(oid) is
  'The values of an enum, or of the elements of an array of one, in their order; null for another type.';

create or replace function service_private.is_label(value text, type regtype) returns boolean
  language sql stable parallel safe
begin atomic
  select exists (select from pg_catalog.pg_enum e where e.enumtypid = is_label.type and e.enumlabel = is_label.value);
end;

comment on function service_private.is_label(text, regtype) is 'Whether a text is a label of an enum type; false of any other type.';

grant execute on function service_private.is_label(text, regtype) to service_user;

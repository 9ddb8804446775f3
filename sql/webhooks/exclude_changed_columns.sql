create or replace function service_private.exclude_changed_columns() returns trigger
  language plpgsql volatile as $$
begin
  perform service_private.exclude_columns();
  return null;
end $$;

comment on function service_private.exclude_changed_columns() is
  'Trigger of service.properties: no row leaves by a webhook with a column that its collection excludes from the same commit on.';

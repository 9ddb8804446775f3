create or replace function service_private.is_identity(definition jsonb, is_key boolean) returns boolean
  language sql immutable parallel safe
  return service_private.property_kind(definition) = 'number'
    and (coalesce(definition ->> 'columnType', '') in ('serial', 'bigserial')
      or (is_key and coalesce(definition ->> 'isId', '') = 'increment'));

comment on function service_private.is_identity(jsonb, boolean) is 'Whether a declared property counts by itself.';

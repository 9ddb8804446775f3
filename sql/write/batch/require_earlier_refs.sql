create or replace function service_private.require_earlier_refs(value jsonb, refs text[], index integer) returns void
  language plpgsql stable as $$
declare
  found jsonb;
begin
  if not service_private.has_refs(value) then
    return;
  end if;
  for found in select p from jsonb_path_query(value, 'strict $.** ? (exists (@."$ref"))') p loop
    if found - '$ref' <> '{}' or found ->> '$ref' !~ '^[^.]+\..+$' or split_part(found ->> '$ref', '.', 1) <> all (refs) then
      perform service.fail(400, 'INVALID_BATCH_REF',
        format('%s names no field of an operation before it.', found),
        jsonb_build_object('index', index, 'ref', found -> '$ref', 'refs', refs));
    end if;
  end loop;
end $$;

comment on function service_private.require_earlier_refs(jsonb, text[], integer) is
  'Nothing, or GW400 INVALID_BATCH_REF {index, ref, refs} for a {"$ref": "name.field"} that is not written so, or names none of the '
  'operations before it.';

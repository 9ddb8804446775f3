-- An upload that names the property has to fit it, and so has one into the folder of its files. Any of several
-- properties that share a folder may accept it.
create or replace function service_private.require_file_fits(request jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  named constant text := array_to_string(array(
    select s.segment from string_to_table(request ->> 'property', '.') with ordinality s (segment, n)
    where s.segment !~ '^\d+$' order by s.n), '.');
  at_source constant text := coalesce(nullif(btrim(request ->> 'storageId'), ''), '(default)');
  claim record;
  bound jsonb;
begin
  if not exists (select from service.storage_properties) then
    return null;
  end if;
  for claim in
    select bool_and(c.refusal is not null) as is_refused,
      (array_agg(c.refusal order by (c.held).collection, (c.held).place))[1] as refusal,
      (array_agg(c.held order by (c.held).max_size desc nulls first, (c.held).collection, (c.held).place)
        filter (where c.refusal is null))[1] as held
    from (
      select 'name' as kind, p as held, service_private.file_refusal(p, request) as refusal
      from service.storage_properties p
      where p.collection = btrim(request ->> 'collection') and p.property = btrim(named)
      union all
      select 'destination', p, service_private.file_refusal(p, request)
      from service.storage_properties p
      where p.source = at_source and request ->> 'key' ~ p.destination) c
    group by c.kind
    order by c.kind desc
  loop
    if claim.is_refused then
      perform service.fail((claim.refusal ->> 'status')::integer, claim.refusal ->> 'code', claim.refusal ->> 'message',
        claim.refusal -> 'details');
    elsif (claim.held).max_size < coalesce((bound ->> 'maxSize')::bigint, 9223372036854775807) then
      bound := jsonb_build_object('property', (claim.held).collection || '.' || (claim.held).property, 'maxSize', (claim.held).max_size);
    end if;
  end loop;
  return case when request ->> 'size' is null then bound end;
end $$;

comment on function service_private.require_file_fits(jsonb) is
  'Refuses a file that does not fit the property which it is for, or which has its files there. request: as of service_private.allow_file. '
  'For a file of unknown size it returns the most bytes that it may have: {property, maxSize}, null for no bound. GW413 '
  'STORAGE_FILE_TOO_LARGE {property, maxSize, size}, GW400 STORAGE_FILE_TYPE_REFUSED {property, acceptedFiles, contentType}.';

grant execute on function service_private.require_file_fits(jsonb) to service_user;

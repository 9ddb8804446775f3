create or replace function service.catalog_fingerprint() returns text
  language sql stable
begin atomic
  select encode(sha256(convert_to(coalesce(string_agg(line, chr(10) order by line), ''), 'UTF8')), 'hex')
  from (
    select (to_jsonb(c) - 'estimated_rows')::text as line from service.collections c
    union all select to_jsonb(p)::text from service.properties p
    union all select to_jsonb(r)::text from service.relations r
  ) l;
end;

comment on function service.catalog_fingerprint() is 'SHA-256 (hex) over everything in the catalog but the row estimates.';

revoke all on function service.catalog_fingerprint() from public;

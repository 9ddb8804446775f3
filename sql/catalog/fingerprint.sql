create or replace function service_private.fingerprint(lines text[]) returns text
  language sql immutable parallel safe
begin atomic
  select 'v1:' || left(encode(sha256(convert_to(coalesce(string_agg(line, chr(10) order by line collate "C"), ''), 'UTF8')), 'hex'), 16)
  from unnest(lines) line;
end;

comment on function service_private.fingerprint(text[]) is
  'v1: and the first 16 hex digits of SHA-256 over the lines, in whatever order they come.';

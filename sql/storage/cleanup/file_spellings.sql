create or replace function service_private.file_spellings(key text, buckets text[]) returns text[]
  language sql immutable parallel safe
  return array[key, '/' || key] || array(
    select format('%s://%s/%s', s.scheme, b.bucket, key) from unnest('{local,s3,gs}'::text[]) s (scheme), unnest(buckets) b (bucket));

comment on function service_private.file_spellings(text, text[]) is
  'How a row may name a file: by its key, or by its storageUrl in one of these buckets.';

create or replace function service.is_released(source text, key text, buckets text[]) returns boolean
  language sql stable
  return service.is_plain_key(key)
    and exists (
      select from service.storage_properties p
      where p.cleanup and p.source = is_released.source and p.bucket = any (buckets) and is_released.key ~ p.destination)
    and service.named_among(source, service.file_spellings(key, buckets)) = '{}';

comment on function service.is_released(text, text, text[]) is
  'Whether a file lies under the path of a property with cleanup, in its source and bucket, and no row names it (service.file_spellings). '
  'buckets: the names that its bucket goes by.';

revoke all on function service.is_released(text, text, text[]) from public;

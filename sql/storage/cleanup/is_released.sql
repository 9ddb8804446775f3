create or replace function service_private.is_released(source text, key text, buckets text[]) returns boolean
  language sql stable
  return service_private.is_plain_key(key)
    and exists (
      select from service.storage_properties p
      where p.cleanup and p.source = is_released.source and p.bucket = any (buckets) and is_released.key ~ p.destination)
    and service_private.named_among(source, service_private.file_spellings(key, buckets)) = '{}';

comment on function service_private.is_released(text, text, text[]) is
  'Whether a file lies under the path of a property with cleanup, in its source and bucket, and no row names it '
  '(service_private.file_spellings). buckets: the names that its bucket goes by.';

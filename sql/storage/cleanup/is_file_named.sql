create or replace function service.is_file_named(source text, key text, buckets text[]) returns boolean
  language sql stable
  return service.named_among(source, service.file_spellings(key, buckets)) <> '{}';

comment on function service.is_file_named(text, text, text[]) is
  'Whether any row names a file of a source (service.file_spellings) in a property that holds its files.';

revoke all on function service.is_file_named(text, text, text[]) from public;

create or replace function service_private.orphaned_files(source text, keys text[], buckets text[]) returns setof text
  language plpgsql stable set jit = off as $$
declare
  claimed constant text[] := array(
    select k from unnest(keys) k
    where service_private.is_plain_key(k) and exists (
      select from service.storage_properties p
      where p.source = orphaned_files.source and p.bucket = any (buckets) and k ~ p.destination));
  named constant text[] := service_private.named_among(source, array(
    select s from unnest(claimed) k cross join lateral unnest(service_private.file_spellings(k, buckets)) s));
begin
  return query select k from unnest(claimed) k where not service_private.file_spellings(k, buckets) && named order by k;
end $$;

comment on function service_private.orphaned_files(text, text[], text[]) is
  'Those of these keys that lie where a property of the source and bucket has its files (its storagePath), and that no row names. '
  'buckets: the names that the bucket goes by.';

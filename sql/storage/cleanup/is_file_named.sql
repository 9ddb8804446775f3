-- Every row counts, whoever may see it. A value is found by an index where there is one: so it is compared with all that it may be.
create or replace function service.is_file_named(source text, key text, buckets text[]) returns boolean
  language plpgsql stable set row_security = off set jit = off as $$
declare
  spellings constant text[] := array[key, '/' || key] || array(
    select format('%s://%s/%s', s.scheme, b.bucket, key) from unnest('{local,s3,gs}'::text[]) s (scheme), unnest(buckets) b (bucket));
  held service.storage_properties;
  found boolean;
begin
  for held in select p.* from service.storage_properties p where p.source = is_file_named.source loop
    execute service.fill('select exists (select from <table> t where <names>)', 'table', service.table_name(held.collection),
      'names', case when held.sql_type ~ '^(json|jsonb)$|\[\]$' then service.named_files(held, 't') || ' && $1'
        else format('t.%I = any ($1)', held.column_name) end)
    into found using spellings;
    if found then
      return true;
    end if;
  end loop;
  return false;
end $$;

comment on function service.is_file_named(text, text, text[]) is
  'Whether any row names a file of a source in a property that holds its files, by its key or by its storageUrl in one of these buckets.';

revoke all on function service.is_file_named(text, text, text[]) from public;

-- The other moment, after the write, is too late: a policy that asks the row itself would not find it any more. A write that does not
-- happen in the end does no harm, since the job looks whether the row names the file still.
create or replace function service_private.release_body(slug text, releases text) returns text
  language sql stable
begin atomic
  select E'\n' || service_private.fill($$
      begin
        if tg_op = 'DELETE' then
          <deleted>
          return old;
        end if;
        <updated>
        return new;
      end
    $$,
    'deleted', string_agg(service_private.fill('perform <releases>(<storage>, <id>, <was>);',
      'releases', releases, 'storage', f.storage, 'id', f.id, 'was', f.was), E'\n' order by f.place),
    'updated', string_agg(service_private.fill($$
        if old."<column>" is distinct from new."<column>" then
          perform <releases>(<storage>, <id>, <was>, <became>);
        end if;
      $$,
      'column', f.column_name, 'releases', releases, 'storage', f.storage, 'id', f.id, 'was', f.was, 'became', f.became),
      E'\n' order by f.place)) || E'\n'
  from (
    select p.place, replace(p.column_name, '"', '""') as column_name, service_private.row_id_of_files(slug, 'old') as id,
      quote_literal(jsonb_strip_nulls(jsonb_build_object('storageId', p.source, 'bucket', p.bucket,
        'storagePath', d.storage -> 'storagePath', 'public', d.storage -> 'public'))) as storage,
      service_private.named_files(p, 'old') as was, service_private.named_files(p, 'new') as became
    from service.storage_properties p
    join service_private.declared_files() d on d.collection = p.collection and d.place = p.place
    where p.collection = slug and p.cleanup) f;
end;

comment on function service_private.release_body(text, text) is
  'The PL/pgSQL of a trigger function that runs before a row is deleted or updated and releases the files that the row will no longer '
  'name. releases: the function that is called with them, as service_private.release_files.';

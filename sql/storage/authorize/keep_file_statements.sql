-- They take half a millisecond to write, and a request that needs them less than that in all.
create or replace function service_private.keep_file_statements() returns void
  language plpgsql volatile as $$
begin
  lock table service.storage_rows in share row exclusive mode;
  delete from service.storage_rows;
  insert into service.storage_rows
  select s.*
  from (select distinct p.subject as slug from service.storage_policies p where p.allow = 'row') p
  cross join lateral service_private.file_statements(p.slug) s
  where s.collection is not null;
end $$;

comment on function service_private.keep_file_statements() is
  'Writes down what policies about rows ask (service_private.file_statements). Called when the policies change, and when the catalog does.';

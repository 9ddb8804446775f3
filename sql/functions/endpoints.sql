-- One by its name is found by an index: the compiler asks for one, and a look at the catalog for all. One that cannot be looked at
-- leaves the others as they are.
create or replace function service_private.endpoints(wanted text default null)
  returns table (oid oid, name text, signature text, problem text, document jsonb)
  language plpgsql stable set jit = off as $$
#variable_conflict use_column
declare
  candidates oid[];
  found record;
  tags record;
begin
  if wanted is null then
    candidates := array(
      select d.objoid from pg_catalog.pg_description d
      where d.classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.description like '%@endpoint%');
  else
    candidates := array(select p.oid from pg_catalog.pg_proc p where p.proname = wanted);
  end if;
  for found in
    select p.oid, p.proname::text as name, pg_catalog.obj_description(p.oid, 'pg_proc') as comment
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace and service_private.may_hold_endpoints(n.nspname)
    where p.oid = any (candidates)
  loop
    tags := service_private.endpoint_tags(found.comment);
    continue when not tags.is_endpoint;
    oid := found.oid;
    name := found.name;
    signature := service_private.function_name(found.oid);
    begin
      problem := coalesce(tags.problem, service_private.endpoint_problem(found.oid), service_private.endpoint_clash(found.oid));
      document := case when problem is null then service_private.endpoint_document(found.oid) end;
    exception when others then
      problem := 'it could not be looked at: ' || sqlerrm;
      document := null;
    end;
    return next;
  end loop;
end $$;

comment on function service_private.endpoints(text) is
  'The functions whose comment holds @endpoint, or those of one name: problem says why one is not served (null: it is), document what it '
  'takes and answers (service_private.endpoint_document).';

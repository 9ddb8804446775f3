-- A write that is not one statement has the statement of its row, and no plan: the others judge its values.
create or replace function service_private.tried_statement(request json, claims jsonb, out statement text, out plan json)
  language plpgsql volatile set jit = off as $$
declare
  roles constant text[] := service_private.claimed_roles(claims);
  caller constant text[] := service_private.caller(claims);
  before constant jsonb := service_private.kept_settings();
  parameters text[];
  planned jsonb;
  arguments text;
begin
  if request ->> 'op' in ('get', 'list', 'count', 'aggregate', 'history') then
    select c.statement, h.parameters into statement, parameters
    from service_private.hoist(request) h cross join lateral service.compile(h.shape, roles) c;
  elsif request ->> 'op' in ('create', 'update', 'delete') and request -> 'bulk' is null then
    planned := service_private.write_plan(service_private.write_shape(request::jsonb), roles);
    statement := coalesce(planned ->> 'fastPath', planned ->> 'statement');
    parameters := array[request::text] || case when request ->> 'op' <> 'create' then array[request -> 'path' ->> -1] end;
  end if;
  if statement is not null and (planned is null or planned ? 'fastPath') then
    arguments := (
      select string_agg(quote_nullable(p), ', ' order by n) from unnest(caller || parameters) with ordinality u (p, n));
    perform set_config('role', 'service_user', true), set_config('request.jwt.claims', '{}', true);
    perform service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
    execute format('prepare service_tried as %s', statement);
    execute format('explain (settings, format json) execute service_tried(%s)', arguments) into plan;
    deallocate service_tried;
    perform service_private.restore_settings(before);
  end if;
exception when query_canceled or others then
  -- The subtransaction took the settings back; a prepared statement survives it.
  if exists (select from pg_catalog.pg_prepared_statements where name = 'service_tried') then
    deallocate service_tried;
  end if;
end $$;

comment on function service_private.tried_statement(json, jsonb) is
  'The statement that a request is compiled to, and its plan for the caller with these claims, which is not run. Nulls for many '
  'writes at once, and for a request that is refused before it has one.';

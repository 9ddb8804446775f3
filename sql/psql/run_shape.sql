-- Runs what the gateway would run, as whom it would run it: the text of service.compile, prepared, under service_user.
-- Role and identity are put back, and how far a vector search may reach (service_private.vector_scan), so a DBA's transaction goes
-- on as it was.
create or replace function service_private.run_shape(shape jsonb, parameters text[], claims jsonb, prefix text default '',
  body text default null)
  returns setof text
  language plpgsql volatile
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set jit = off as $$
declare
  compiled record := service.compile(shape, service_private.claimed_roles(claims));
  before jsonb := service_private.kept_settings(
    case when shape ? 'vector' then '{hnsw.ef_search,hnsw.iterative_scan,ivfflat.iterative_scan}' else '{}' end::text[]);
  caller text[] := service_private.caller(claims);
  arguments text := (
    select string_agg(quote_nullable(p), ', ' order by n)
    from unnest(caller || parameters) with ordinality u (p, n));
  line text;
  rows text;
begin
  perform set_config('role', 'service_user', true), set_config('request.jwt.claims', '{}', true);
  if compiled.enter_first then
    perform service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
  end if;
  if compiled.before is not null then
    execute format('prepare service_run as %s', compiled.before);
    execute format('execute service_run(%s)', (
      select string_agg(quote_nullable(p), ', ' order by n)
      from unnest(caller || parameters || body) with ordinality u (p, n))) into rows;
    deallocate service_run;
    arguments := concat_ws(', ', arguments, quote_nullable(rows));
  end if;
  execute format('prepare service_run as %s', compiled.statement);
  for line in execute format('%s execute service_run(%s)', prefix, arguments) loop
    return next line;
  end loop;
  deallocate service_run;
  perform service_private.restore_settings(before);
exception when query_canceled or others then
  -- The subtransaction took the settings back; a prepared statement survives it.
  if exists (select from pg_catalog.pg_prepared_statements where name = 'service_run') then
    deallocate service_run;
  end if;
  raise;
end $$;

comment on function service_private.run_shape(jsonb, text[], jsonb, text, text) is
  'Runs the statement of a shape with the values of $6 onwards, as service_private.run does. body: of a call that goes before it.';

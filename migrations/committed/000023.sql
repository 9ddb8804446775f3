--! Previous: sha1:f4f5ef5e7972b7c9849c11ee6f3d5e1463f0f0d3
--! Hash: sha1:9338cc3ccc7ad6ccf3f2a15ce71376116f2e6b9c

--! Included read/comparison.sql
create or replace function service.comparison(expression text, property service.properties, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record := service.operand(property.name, condition);
  is_json boolean := property.sql_type in ('json', 'jsonb');
  -- A file's map is an object; a JSON column that was there before may hold arrays (service.judged_fields).
  kind text := case when op.operator like 'array-%' and is_json and not property.attributes ? 'column' then 'array' else property.type end;
  symbol text := split_part(op.template, ' ', 2);
  json_array boolean := kind = 'array' and is_json;
  composite boolean := exists (select from pg_catalog.pg_type t where t.oid = to_regtype(property.sql_type) and t.typtype = 'c');
  item_type text := case when kind = 'array' then rtrim(property.sql_type, '[]') else property.sql_type end;
  binary_array boolean := kind = 'array' and item_type = 'bytea';
begin
  -- JSON numbers compare as numbers: 2.0 is 2, and 1.5 is more than 1. Whole ones keep the column's type, and so its index.
  if condition ->> 2 = 'decimal' and item_type in ('smallint', 'integer', 'bigint') then
    expression := expression || case kind when 'array' then '::numeric[]' else '' end;
    item_type := 'numeric';
  end if;
  if kind in ('vector', 'geopoint') then
    perform service.fail(400, 'INVALID_FILTER_FIELD', format('Field %s of %s cannot be filtered.', property.name, property.collection),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'type', kind));
  end if;
  if not kind = any (op.families)
    or (op.takes = 'text' and not service.takes_patterns(property.collection, property.column_name))
    or (op.takes in ('scalar', 'list') and not json_array and not service.has_operator(item_type,
      case when kind = 'array' then '=' else symbol end)) then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to %s, which is of type %s.', op.operator, property.name, kind),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator, 'type', kind));
  end if;
  return case
    when json_array and op.takes <> 'nothing' then
      -- json_array_elements_text refuses what is no array, and finds nothing in NULL.
      format('exists (select from %3$s_array_elements_text(case %3$s_typeof(%1$s) when ''array'' then %1$s end) e where e = %2$s)', expression,
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end, property.sql_type)
    -- Bytes are compared as they are shown, in base64.
    when binary_array and op.takes <> 'nothing' then
      format('exists (select from unnest(%s) e where %s = %s)', expression, service.scalar_value('e', 'bytea'),
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end)
    -- IS NOT NULL would ask whether each field of the composite is.
    when op.takes = 'nothing' and composite then
      format('%s is %s distinct from null', expression, case op.operator when 'is-null' then 'not' else '' end)
    when op.takes = 'text' then
      format(op.template, case when property.sql_type in ('text', 'character varying') then expression else expression || '::text' end, format('$%s::text', op.parameter))
    when kind <> 'array' and op.takes in ('scalar', 'list') then
      format(replace(op.template, format(' %s ', symbol), format(' %s ', replace(service.operator_name(item_type, symbol), '%', '%%'))), expression, service.value(op.parameter, item_type, op.list))
    else
      format(op.template, expression, service.value(op.parameter, item_type, op.list))
  end;
end $$;

comment on function service.comparison(text, service.properties, jsonb) is
  'SQL text of one condition [operator, parameter] on a column expression. GW400 as service.operand, INVALID_FILTER_FIELD (a type that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';

revoke all on function service.comparison(text, service.properties, jsonb) from public;
--! EndIncluded read/comparison.sql
--! Included identity/kept_settings.sql
create or replace function service.kept_settings(more text[] default '{}') returns jsonb
  language sql stable
begin atomic
  select jsonb_object_agg(s.name, coalesce(current_setting(s.name, true), ''))
  from unnest('{role,app.uid,app.user_roles,app.is_anonymous,app.jwt}' || more) s (name);
end;

comment on function service.kept_settings(text[]) is
  'What service.enter and the role of requests change of a session, and the settings of these names, for service.restore_settings: {name: value}, '''' for one that is not set.';

revoke all on function service.kept_settings(text[]) from public;
--! EndIncluded identity/kept_settings.sql
--! Included identity/restore_settings.sql
-- A setting of an extension may not have been there before a search loaded it; then it goes back to its own default.
create or replace function service.restore_settings(settings jsonb) returns void
  language plpgsql volatile as $$
begin
  perform set_config(k.key, coalesce(nullif(k.value, ''), (select s.boot_val from pg_catalog.pg_settings s where s.name = k.key), ''), true)
  from jsonb_each_text(settings) k;
end $$;

comment on function service.restore_settings(jsonb) is
  'Puts back, for the rest of the transaction, what service.kept_settings has kept: the role, who the caller is, and other settings.';

revoke all on function service.restore_settings(jsonb) from public;
grant execute on function service.restore_settings(jsonb) to service_user;
--! EndIncluded identity/restore_settings.sql
--! Included read/run.sql
-- Runs what the gateway would run, as whom it would run it: the text of service.compile, prepared, under service_user.
-- Role and identity are put back, and how far a vector search may reach (service.vector_scan), so a DBA's transaction goes
-- on as it was.
create or replace function service.run(request json, claims jsonb, prefix text default '') returns setof text
  language plpgsql volatile set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set jit = off as $$
declare
  hoisted record := service.hoist(request);
  compiled record := service.compile(hoisted.shape, service.claimed_roles(claims));
  before jsonb := service.kept_settings(case when hoisted.shape ? 'vector' then '{hnsw.ef_search,hnsw.iterative_scan,ivfflat.iterative_scan}' else '{}' end::text[]);
  line text;
  arguments text := (select string_agg(quote_literal(p), ', ' order by n) from unnest(array[claims::text] || hoisted.parameters) with ordinality u (p, n));
begin
  perform set_config('role', 'service_user', true);
  if compiled.enter_first then
    perform service.enter(claims::text);
  end if;
  execute format('prepare service_run as %s', compiled.statement);
  for line in execute format('%s execute service_run(%s)', prefix, arguments) loop
    return next line;
  end loop;
  deallocate service_run;
  perform service.restore_settings(before);
exception when others then
  -- The subtransaction took the settings back; a prepared statement survives it.
  if exists (select from pg_catalog.pg_prepared_statements where name = 'service_run') then
    deallocate service_run;
  end if;
  raise;
end $$;

comment on function service.run(json, jsonb, text) is
  'Runs a request {op, path, …} as the caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}): the body the API would send; with prefix ''explain'' its plan.';

revoke all on function service.run(json, jsonb, text) from public;
--! EndIncluded read/run.sql
--! Included write/change.sql
-- Runs what the API would run, as whom it would run it. Role and identity are put back, so a DBA's transaction goes on
-- as it was.
create or replace function service.change(request jsonb, claims jsonb) returns json
  language plpgsql volatile set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set jit = off as $$
declare
  before jsonb := service.kept_settings();
  body json;
begin
  perform set_config('role', 'service_user', true);
  body := service.write(claims::text, request);
  perform service.restore_settings(before);
  return body;
end $$;

comment on function service.change(jsonb, jsonb) is
  'Runs a write request of service.write as the caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}): the body the API would send.';

revoke all on function service.change(jsonb, jsonb) from public;
--! EndIncluded write/change.sql

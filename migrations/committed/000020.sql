--! Previous: sha1:cf8dce706e92921f1a5363b1f5e197686da07214
--! Hash: sha1:76367e1956c8bec90c70268ed431b8b4c35c9637

drop function service.insert_statement(service.collections, text[], boolean);
drop function service.update_statement(service.collections, text[], text);
drop function service.sent_record(text[], text[]);
--! Included write/sent_record.sql
create or replace function service.sent_record(body text, fields text[], types text[]) returns text
  language sql immutable parallel safe
begin atomic
  select format('jsonb_to_record(%s) r (%s)', body, string_agg(format('%I %s', f.field, f.type), ', ' order by f.n))
  from unnest(fields, types) with ordinality f (field, type, n)
  where f.field is not null
  having count(*) > 0;
end;

comment on function service.sent_record(text, text[], text[]) is 'SQL text of a body (SQL text, jsonb) as one record r of these fields; null without fields.';

revoke all on function service.sent_record(text, text[], text[]) from public;
--! EndIncluded write/sent_record.sql
--! Included write/insert_statement.sql
create or replace function service.insert_statement(served service.collections, sent text[], source text, body text, condition text, answer text) returns text
  language sql stable
begin atomic
  select format('insert into %I.%I as t %s returning %s', served.schema_name, served.table_name,
    case when count(*) = 0 then 'default values'
      else format('(%s) select %s%s', string_agg(quote_ident(w.column_name), ', ' order by w.column_name), string_agg(w.expression, ', ' order by w.column_name),
        concat(' from ', source, service.sent_record(body, array_agg(w.field order by w.column_name), array_agg(w.read_as order by w.column_name)), ' where ' || condition)) end,
    answer)
  from service.written_columns(served, 'create', sent) w;
end;

comment on function service.insert_statement(service.collections, text[], text, text, text, text) is
  'SQL text that inserts a body with these names. source: SQL text in FROM before the body''s record, or null; body: SQL text of the body, jsonb; condition: of the row to be inserted at all, or null; answer: what is returned of the row, t.';

revoke all on function service.insert_statement(service.collections, text[], text, text, text, text) from public;
--! EndIncluded write/insert_statement.sql
--! Included write/update_statement.sql
-- An empty update still touches the row, so that triggers that stamp it run; a row of which nothing can be set is locked,
-- which the same policies decide.
create or replace function service.update_statement(served service.collections, sent text[], source text, body text, condition text, answer text) returns text
  language sql stable
begin atomic
  with assignment (target, value, field, read_as) as (
    select w.column_name, w.expression, w.field, w.read_as from service.written_columns(served, 'update', sent) w
    union all (
      select p.column_name, format('t.%I', p.column_name), null, null
      from service.properties p
      where p.collection = served.slug and not p.generated and not exists (select from service.written_columns(served, 'update', sent))
      order by p.name = any (served.key), p.position
      limit 1)
  )
  select case when count(*) = 0 then format('select '''' from %I.%I t where %s for update', served.schema_name, served.table_name, condition)
    else format('update %I.%I t set %s%s where %s returning %s', served.schema_name, served.table_name,
      string_agg(format('%I = %s', a.target, a.value), ', ' order by a.target),
      coalesce(concat(' from ', source) || service.sent_record(body, array_agg(a.field order by a.target), array_agg(a.read_as order by a.target)), ''),
      condition, answer) end
  from assignment a;
end;

comment on function service.update_statement(service.collections, text[], text, text, text, text) is
  'SQL text that writes a body with these names into the row, t, of which the condition holds. source: SQL text in FROM before the body''s record, or null; body: SQL text of the body, jsonb; answer: what is returned of the row; a blank where nothing can be set.';

revoke all on function service.update_statement(service.collections, text[], text, text, text, text) from public;
--! EndIncluded write/update_statement.sql
--! Included write/unreadable_columns.sql
-- Such an error names no column, so each sent value is tried again.
create or replace function service.unreadable_columns(served service.collections, request jsonb) returns text[]
  language plpgsql stable as $$
declare
  sent text[] := array(select jsonb_object_keys(request -> 'body'));
  written record;
  unreadable text[];
begin
  for written in
    select w.*, a.atttypmod - 4 as width, service.column_type(a.atttypid, a.atttypmod) as type
    from service.written_columns(served, request ->> 'op', sent) w
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(format('%I.%I', served.schema_name, served.table_name)) and a.attname = w.column_name
  loop
    begin
      execute format('select (%s)::%s from %s', written.expression, written.type, service.sent_record('$1::jsonb', array[written.field], array[written.read_as])) using request ->> 'body';
      if written.type ~ '^character.*\(' and char_length(request -> 'body' ->> written.field) > written.width then
        unreadable := unreadable || written.column_name;
      end if;
    exception when data_exception then
      unreadable := unreadable || written.column_name;
    end;
  end loop;
  return unreadable;
end $$;

comment on function service.unreadable_columns(service.collections, jsonb) is
  'The columns whose sent values cannot be read as their types, or are too long for them; null when all can.';

revoke all on function service.unreadable_columns(service.collections, jsonb) from public;
--! EndIncluded write/unreadable_columns.sql
--! Included write/written_id.sql
create or replace function service.written_id(served service.collections) returns text
  language sql stable
begin atomic
  select string_agg(format(case when cardinality(served.key) = 1 then 't.%I::text' else 'replace(replace(t.%I::text, ''%%'', ''%%25''), '':'', ''%%3A'')' end, p.column_name), ' || '':::'' || ' order by k.n)
  from unnest(served.key) with ordinality k (name, n) join service.properties p on p.collection = served.slug and p.name = k.name;
end;

comment on function service.written_id(service.collections) is 'SQL text of the id of a row, t, as service.id_parts takes it apart.';

revoke all on function service.written_id(service.collections) from public;
--! EndIncluded write/written_id.sql
--! Included write/direct_statement.sql
-- Most writes break no rule and set nothing off that could change the row once it is stored. They are one statement: a
-- create takes 120 microseconds instead of 260, where the insert alone takes 95.
-- It only ever says yes. Without a row, and after an error, nothing is stored, and service.write finds out why.
-- What is judged here is service.doubtful_fields and service.has_blank_key, as conditions. The gate stands above every scan: for an update as a
-- condition without columns, which the planner makes a One-Time Filter above the join.
create or replace function service.direct_statement(served service.collections, shape jsonb, plan jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  op text := shape ->> 'op';
  sent text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  answer text := case when shape ? 'return' then '''''' else format('(select to_json(d.*) from (select %s) d) as body', service.row_columns(served.slug, 't', shape - 'body', roles)) end;
  gate text := 'with ctx as materialized (select service.enter($1) as ok, $2::jsonb -> ''body'' as body) ';
  judged text := (
    select string_agg(format(case when f.value ? 'required' then ' and %1$s <> ''null'' and %2$s' else ' and (%1$s = ''null'' or %2$s)' end, v.value,
      format('service.fits_type(%s, %L, %L)%s', v.value, f.value ->> 'type', f.value ->> 'sqlType', format(' and char_length(%s #>> ''{}'') <= ', v.value) || (f.value ->> 'maxLength'))), '' order by f.value ->> 'field')
    from jsonb_array_elements(plan -> 'fields') f
    cross join lateral (select format('(ctx.body -> %L)', f.value ->> 'field')) v (value));
  statement text;
begin
  if op = 'delete' or plan ?| array['missing', 'twice', 'stamp'] or (op = 'update' and plan ? 'sentKey') or jsonb_path_exists(plan, '$.fields[*] ? (exists (@.rules) || exists (@.stamp))')
    or served.callbacks ? 'afterRead' or not exists (select from service.written_columns(served, op, sent))
    or not exists (
      select from pg_catalog.pg_class c
      where c.oid = to_regclass(format('%I.%I', served.schema_name, served.table_name)) and c.relkind = 'r' and not c.relhasrules
        -- A trigger after the row: not before (2), not instead (64), for inserts (4) or updates (16).
        and not exists (select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal and g.tgtype & 66 = 0 and g.tgtype & case op when 'create' then 4 else 16 end <> 0))
  then
    return null;
  end if;
  judged := concat('ctx.ok and strpos(ctx.body::text, ''"$'') = 0', judged, (
    select string_agg(format(' and (ctx.body -> %L) not in (''null'', ''""'')', k.name), '') from jsonb_array_elements_text(plan -> 'sentKey') k (name)));
  statement := gate || case op
    when 'create' then service.insert_statement(served, sent, 'ctx cross join lateral ', 'ctx.body', judged, answer)
    else service.update_statement(served, sent, 'ctx cross join lateral ', 'ctx.body',
      format('(select c.ok from ctx c) and %s%s%s', judged, service.key_predicate(served.slug, 't', '3'), service.live(served.slug, 't')), answer) end;
  return case when not service.needs_entering(statement) then statement end;
end $$;

comment on function service.direct_statement(service.collections, jsonb, jsonb, text[]) is
  'The one statement of a write of this shape and plan (service.write_plan): $1 claims, $2 request, $3 id of an update; one row, whose body is the row as the caller reads it, a blank for return=minimal; no row when service.write must judge. Null for what is never written so: deletes, views, partitioned tables, fields with rules, keys that an update sends, triggers after the row, afterRead.';

revoke all on function service.direct_statement(service.collections, jsonb, jsonb, text[]) from public;
--! EndIncluded write/direct_statement.sql
--! Included write/write_plan.sql
-- Everything about a write that needs the catalog, which the end-user role cannot read, and that its values do not
-- change: the gateway keeps it by shape. What comes back is plain SQL that runs as the caller.
create or replace function service.write_plan(shape jsonb, roles text[]) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  served service.collections;
  op text := shape ->> 'op';
  sent text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  minimal boolean := shape ->> 'return' is not distinct from 'minimal';
  key text;
  stamp text := service.deletion_stamp(shape ->> 'collection');
  stamp_sent text;
  found text;
  plan jsonb;
begin
  perform service.path_collection(jsonb_build_array(shape -> 'collection'));
  select c.* into served from service.collections c where c.slug = shape ->> 'collection';
  if served.read_only then
    perform service.fail(403, 'WRITE_DENIED', format('%s is read-only.', served.slug), jsonb_build_object('collection', served.slug));
  end if;
  if op <> 'delete' then
    perform service.require_open_fields(served, op, sent, roles);
    perform service.require_known_fields(served, sent, roles);
    perform service.require_response_fields(served.slug, shape -> 'fields');
  end if;
  key := substr(service.key_predicate(served.slug, 't', '2'), 6);
  stamp_sent := (select s.field from service.sent_fields(served, sent) s where (s.property).column_name = stamp and op = 'update' limit 1);
  -- A deleted row is there only to be restored, or deleted for good.
  found := key || case when stamp_sent is null and not shape ? 'hard' then service.live(served.slug, 't') else '' end;
  plan := jsonb_strip_nulls(jsonb_build_object(
    'fields', service.judged_fields(served, op, sent),
    'sentKey', (select jsonb_agg(s.field) from service.sent_fields(served, sent) s where (s.property).name = any (served.key)),
    'twice', (select true from service.sent_fields(served, sent) s group by (s.property).column_name having count(*) > 1 limit 1),
    'missing', case op when 'create' then service.missing_fields(served, sent) end,
    'statement', case op
      when 'create' then service.insert_statement(served, sent, null, '$1::jsonb', null, case when minimal then '''''' else service.written_id(served) end)
      when 'update' then service.update_statement(served, sent, null, '$1::jsonb', found, '''''')
      when 'delete' then format(case when stamp is null or shape ? 'hard' then 'delete from %I.%I t where %s returning ''''' else 'update %I.%I t set %4$I = now() where %3$s returning ''''' end,
        served.schema_name, served.table_name, found, stamp)
    end,
    'stamp', stamp_sent,
    'keyTypes', case when op <> 'create' then (
      select jsonb_agg(p.sql_type order by k.n) from unnest(served.key) with ordinality k (name, n)
      join service.properties p on p.collection = served.slug and p.name = k.name) end,
    'visible', case when op <> 'create' then format('select '''' from %I.%I t where %s', served.schema_name, served.table_name, found) end,
    'reply', case when op <> 'delete' and not minimal then
      (service.compile(jsonb_strip_nulls(jsonb_build_object('op', 'get', 'path', jsonb_build_array(served.slug, 2), 'fields', shape -> 'fields', 'deleted', case when stamp is not null then 'include' end)), roles)).statement end));
  return plan || jsonb_strip_nulls(jsonb_build_object('direct', service.direct_statement(served, shape, plan, roles)));
end $$;

comment on function service.write_plan(jsonb, text[]) is
  'The plan of writes of one shape (service.write_shape), for callers with these roles. fields: how values are judged (service.judged_fields); sentKey: the names that mean the key; twice: a column is sent by two names; missing: violations of what a create leaves out; statement ($1 = body, $2 = id; returns the new id of a create that is answered with its row, else a blank), visible ($2 = id; a row when the caller sees it), reply ($1 = claims, $2 = id): SQL text, parameters text; direct: all of it in one statement (service.direct_statement), where that can be; keyTypes: the types of the id; stamp: the name by which an update sends the column of a soft delete. Errors that values do not decide, as service.write.';

revoke all on function service.write_plan(jsonb, text[]) from public;
grant execute on function service.write_plan(jsonb, text[]) to service_user;
--! EndIncluded write/write_plan.sql

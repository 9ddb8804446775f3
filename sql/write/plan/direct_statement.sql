-- Most writes break no rule and set nothing off that could change the row once it is stored. They are one statement: a
-- create takes 150 microseconds instead of 245, where the insert alone takes 92.
-- It only ever says yes. Without a row, and after an error, nothing is stored, and service.write finds out why.
-- What is judged here is service.doubtful_fields and service.has_blank_key, as conditions. The gate stands above every
-- scan: for an update as a condition without columns, which the planner makes a One-Time Filter above the join.
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

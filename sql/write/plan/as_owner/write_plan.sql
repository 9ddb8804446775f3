-- Everything about a write that needs the catalog, which the end-user role cannot read, and that its values do not
-- change: the gateway keeps it by shape. The result is plain SQL that runs as the caller.
create or replace function service_private.write_plan(shape jsonb, roles text[]) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  op constant text := shape ->> 'op';
  sent constant text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  minimal constant boolean := shape ->> 'return' is not distinct from 'minimal';
  collection constant text := service_private.path_collection(coalesce(shape -> 'path', jsonb_build_array(shape -> 'collection')), roles);
  stamp constant text := service_private.deletion_stamp(collection);
  served service.collections;
  nested jsonb;
  only_links boolean;
  links jsonb;
  own text[];
  target text[];
  stamp_sent text;
  reply jsonb;
  found text[];
  current text[];
  plan jsonb;
begin
  select c.* into served from service.collections c where c.slug = collection;
  nested := service_private.nested_plan(served, shape, roles);
  only_links := coalesce(nested ? 'attach', false) and op = 'update' and sent = '{}';
  if nested ? 'link' then
    return nested;
  elsif served.read_only and not only_links then
    perform service.fail(403, 'WRITE_DENIED', format('%s is read-only.', collection), jsonb_build_object('collection', collection));
  end if;
  if shape ? 'conflict' then
    target := service_private.conflict_columns(served, shape -> 'conflict', roles);
    target := case when target <@ array(select (s.property).column_name from service_private.sent_fields(served, sent) s) then target end;
  end if;
  if op <> 'delete' then
    perform service_private.require_open_fields(served, op, sent, roles);
    perform service_private.require_known_fields(served, sent, roles);
    perform service_private.require_operations(served, shape -> 'operations', sent, roles);
    perform service_private.require_response_fields(collection, shape -> 'fields', roles);
    links := service_private.link_plans(served, op, sent, roles);
  end if;
  -- The path has priority over the body.
  own := array(
    select s.field from service_private.sent_fields(served, sent) s
    where not coalesce(nested -> 'parent' -> 'columns' ? (s.property).column_name, false));
  stamp_sent := (
    select s.field from service_private.sent_fields(served, sent) s where (s.property).column_name = stamp and op = 'update' limit 1);
  found := service_private.key_conditions(collection, 't', '$2')
    || array(select w.condition from jsonb_array_elements_text(nested -> 'within') with ordinality w (condition, n) order by w.n);
  -- A deleted row is there only to be restored, or deleted for good.
  if stamp_sent is null and not shape ? 'hard' then
    found := found || service_private.live_conditions(collection, 't');
  end if;
  current := found || case when shape ? 'match'
    then array[format('%s = any (array(select jsonb_array_elements_text($3::jsonb)))', service_private.stored_tag(served, roles))] end;
  plan := jsonb_build_object(
    'key', served.key,
    'fields', service_private.validated_fields(served, op, own, shape -> 'operations', roles),
    'operations', shape -> 'operations',
    'sentKey', (
      select jsonb_agg(s.field) from service_private.sent_fields(served, sent) s where (s.property).name = any (served.key)),
    'target', (select jsonb_agg(s.field) from service_private.sent_fields(served, sent) s where (s.property).column_name = any (target)),
    'trashed', service_private.trashed_match(served, sent, target),
    'twice', (
      select true from service_private.sent_fields(served, sent) s
      where (s.property).name is not null
      group by (s.property).column_name having count(*) > 1 limit 1),
    'stamp', stamp_sent,
    'links', links,
    'raw', (
      select true from service_private.written_columns(served, op, sent, operations => shape -> 'operations') w
      where w.read_as in ('json', 'json[]') limit 1),
    'statement', case
      when op = 'create' then service_private.insert_statement(served, sent, '$1',
        case when minimal and links is null and not coalesce(nested ? 'attach', false) then ''''''
          else service_private.written_id(served) end,
        conflict => service_private.conflict_clause(served, sent, target, roles), parent => nested -> 'parent')
      when op = 'delete' then service_private.delete_statement(served, case when not shape ? 'hard' then stamp end, current)
      when only_links then service_private.row_statement(collection, '''''', current)
      else service_private.update_statement(served, sent, '$1', '''''', current, operations => shape -> 'operations',
        roles => roles) end);
  if op = 'create' then
    plan := plan || jsonb_build_object('missing',
      service_private.missing_fields(served, sent || array(select jsonb_object_keys(nested -> 'parent' -> 'columns'))));
  else
    plan := plan || jsonb_build_object(
      'keyTypes', service_private.key_types(collection),
      'visible', service_private.row_statement(collection, case when shape ? 'match' then service_private.stored_tag(served, roles)
        else '''''' end, found),
      'bounds', service_private.bounds_statement(served, shape -> 'operations', found));
  end if;
  if op <> 'delete' and not minimal then
    reply := jsonb_strip_nulls(jsonb_build_object('op', 'get', 'path', jsonb_build_array(collection, 6),
      'fields', shape -> 'fields', 'bounds', shape -> 'bounds', 'deleted', case when stamp is not null then 'include' end));
    plan := plan || jsonb_build_object('reply', (service.compile(reply, roles)).statement,
      'stored', case when shape ? 'ref' then (service.compile(reply || '{"stored": true}', roles)).statement end);
  end if;
  plan := jsonb_strip_nulls(plan || coalesce(nested - '{within,parent}'::text[], '{}'));
  return plan || jsonb_strip_nulls(jsonb_build_object('fastPath', case when shape ? 'bulk'
    then service_private.bulk_statement(served, shape, plan, target, roles)
    else service_private.fast_path(served, shape, plan, target, roles) end));
end $$;

comment on function service_private.write_plan(jsonb, text[]) is
  'The plan of writes of one shape (service_private.write_shape), for callers with these roles. fields: how values are judged '
  '(service_private.validated_fields); key: its names; sentKey: the names that mean the key; target: those that mean the target of an '
  'upsert; '
  'trashed ($1 = body; a row when it meets a deleted one): SQL text; twice: a column is sent by two names; missing: violations of what a '
  'create leaves out; statement ($1 = body, $2 = id, $3 = the tags of a request with match; returns the new id of a create that is '
  'answered with its row, else a blank), visible ($2 = id; of a row that the caller sees its tag where there is match, else a blank), '
  'reply ($1 to $5 = caller, $6 = id), stored (as reply: the row before afterRead): SQL text, parameters text; fastPath: all of it in one '
  'statement (service_private.fast_path; of many rows service_private.bulk_statement), where that can be; keyTypes: the types of the id; '
  'raw: the body is needed as it was sent; operations: those of the shape; bounds: service_private.bounds_statement; stamp: the name by '
  'which an update sends the column of a soft delete; links: service_private.link_plans; of a nested path as service_private.nested_plan. '
  'Errors that values do not decide, as service_private.write.';

grant execute on function service_private.write_plan(jsonb, text[]) to service_user;

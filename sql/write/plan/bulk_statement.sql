-- Many rows as one statement, where each would have taken the fast path, and as strict: all of them are sound and written, or none.
-- An item that is not what it should be makes a condition fail or a function of JSON err, and service_private.write says which and why.
-- The answers stand in the order of the items: a list in FROM is met in its order, and rows are returned as they are written.
create or replace function service_private.bulk_statement(served service.collections, shape jsonb, plan jsonb, target text[], roles text[])
  returns text
  language plpgsql stable as $fn$
declare
  op constant text := shape ->> 'op';
  sent constant text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  sometimes constant text[] := array(select jsonb_array_elements_text(shape -> 'bulk' -> 'sometimes'));
  deletes constant boolean := op = 'delete';
  conditions text[];
  found text[];
  write text;
  statement text;
begin
  if not service_private.is_plain(served, shape - 'return', plan) or plan ?| array['stamp', 'raw'] or (plan ? 'sentKey' and op = 'update')
    or (target is not null and sometimes <> '{}') or (not deletes and not exists (
      select from service_private.written_columns(served, op, sent, 'i.body', sometimes) w
      having count(*) > 0 and bool_and(w.expression is not null)))
  then
    return null;
  end if;
  plan := jsonb_set(plan, '{fields}', coalesce((
    select jsonb_agg(f || case when f ->> 'field' = any (sometimes) then '{"sometimes": true}' else '{}' end::jsonb)
    from jsonb_array_elements(plan -> 'fields') f), '[]'));
  conditions := case op when 'create' then '{}' else array['i.id <> '''''] end
    || case when deletes then '{}' else array['jsonb_typeof(i.body) = ''object'''] || service_private.value_conditions(plan, 'i.body') end;
  found := '{(select s.ok from sound s)}' || service_private.key_conditions(served.slug, 't', 'i.id')
    || case when shape ? 'hard' then '{}' else service_private.live_conditions(served.slug, 't') end;
  write := case op
    when 'create' then service_private.insert_statement(served, sent, 'i.body', service_private.bulk_answer(served, shape, roles),
      '{item i}', '{(select s.ok from sound s)}', service_private.conflict_clause(served, sent, target, roles), sometimes)
    when 'update' then service_private.update_statement(served, sent, 'i.body', 'i.n, '
      || service_private.bulk_answer(served, shape, roles),
      found, '{item i}', sometimes, roles => roles)
    else service_private.delete_statement(served, case when not shape ? 'hard' then service_private.deletion_stamp(served.slug) end, found,
      'item i') end;
  statement := service_private.fill($$
    with ctx as materialized (select <entered> as ok, $6::jsonb -> 'body' -> <list> as items),
    item as materialized (
      select i.n, <id> as id, <body> as body
      from ctx
      cross join lateral jsonb_array_elements(ctx.items) with ordinality i (item, n)
      where ctx.ok
    ),
    sound as materialized (
      select count(*) as items, count(*) between 1 and <most> and strpos((select c.items::text from ctx c), '"$') = 0
        and bool_and(coalesce(<conditions>, false)) as ok
      from item i
    ),
    written as (
      <write>
    )
    select <answer> as body
    from (select count(*) as rows<rows> from written w) w
    cross join sound s
    where s.ok and service_private.all_written(w.rows = s.items)
  $$,
  'entered', service_private.entering_clause(shape),
  'list', quote_literal(shape -> 'bulk' ->> 'list'),
  'id', case op when 'create' then 'null::text' else '
    case when jsonb_typeof(coalesce(i.item -> ''id'', i.item)) in (''string'', ''number'')
      then coalesce(i.item ->> ''id'', i.item #>> ''{}'') end' end,
  'body', case when shape -> 'bulk' ? 'apart' then 'i.item -> ''data''' when op = 'delete' then 'null::jsonb' else 'i.item' end,
  'most', service_private.bound(shape, 'items')::text,
  'conditions', service_private.conjunction(conditions),
  'write', write,
  'answer', service_private.kept_answer(shape, format('service_private.bounded_answer(%s, %s)',
    case when deletes then 'format(''{"meta":{"deleted":%s}}'', w.rows)'
      else 'concat(''{"data":['', w.bodies, ''],"meta":{"written":'', w.rows, ''}}'')' end, service_private.bound(shape, 'answer'))),
  'rows', case op when 'create' then ', string_agg(w.body, '','') as bodies'
    when 'update' then ', string_agg(w.body, '','' order by w.n) as bodies' else '' end);
  return case when not service_private.needs_entering(statement) then statement end;
end $fn$;

comment on function service_private.bulk_statement(service.collections, jsonb, jsonb, text[], text[]) is
  'The one statement of a bulk write of this shape and plan (service_private.write_plan): $1 to $5 caller, $6 request; one row, whose body '
  'is the answer; no row, or an error, when service_private.write must judge: nothing is written then. Null for what is never written so. '
  'shape.bulk: {list: the name of the list in the body, apart: true where an item is {id, data}, sometimes: [names that some items leave '
  'out]}.';

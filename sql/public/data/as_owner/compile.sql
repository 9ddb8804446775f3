-- The one place that writes the SQL of a data request. The gateway caches the text by shape and runs it as a prepared
-- statement; service.list runs the same text. The caller is entered first: every part that reads tables waits for
-- ctx.ok. An answer is closed by an aggregate or by offset 0 (else the planner pulls it up, and only the order of the
-- join protects it), and nothing beside it reads a table. PL/pgSQL would plan each statement anew five times before
-- it keeps a plan; one for any values halves the first requests.
create or replace function service.compile(shape jsonb, roles text[],
  out statement text, out lane text, out enter_first boolean, out revalidates boolean, out before text)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  collection text := case when shape ? 'call' then shape #>> '{path,0}' else service_private.path_collection(shape -> 'path', roles) end;
  answer text;
begin
  perform service_private.require_path_readable(shape -> 'path', roles);
  if shape ? 'call' then
    shape := service_private.with_endpoint(shape);
    perform service_private.require_arguments(shape);
  end if;
  if shape ? 'after' then
    perform service_private.require_cursor(collection, shape, roles);
  end if;
  if shape ? 'checked' then
    perform service_private.check_names(collection, shape, roles);
  end if;
  answer := case shape ->> 'op'
    when 'list' then service_private.list_answer(collection, shape, roles)
    when 'get' then service_private.get_answer(collection, shape, roles)
    when 'count' then service_private.count_answer(collection, shape, roles)
    when 'aggregate' then service_private.aggregate_answer(collection, shape, roles)
    when 'history' then service_private.history_answer(collection, shape, roles)
    when 'value' then service_private.value_answer(shape)
  end;
  if shape ? 'call' then
    answer := service_private.with_call(answer, shape);
  end if;
  if shape #> '{call,rows}' is not null then
    before := service_private.call_statement(shape);
  end if;
  enter_first := before is not null or service_private.needs_entering(answer);
  if shape ? 'many' then
    answer := service_private.with_asked_values(answer);
  end if;
  statement := service_private.fill($sql$
      select <columns>
      from (
        select <context>
        offset 0
      ) ctx
      <asked?>
      <given?>
      cross join lateral (
        <answer>
      ) r
    $sql$,
    'columns', concat_ws(', ', format('service_private.bounded_answer(%s, %s) as body',
      case when shape ? 'call' then 'service_private.kept_session(r.body, ctx.search_path)' else 'r.body' end,
      service_private.bound(shape, 'answer')),
      case when shape ->> 'op' = 'get' and not shape ? 'call' then 'r.tag' end, case when shape ? 'many' then 'asked.n' end),
    -- A caller that has entered needs no gate.
    'context', array_to_string(case when enter_first then 'coalesce($1::text, $2, $3, $4, $5) is not null as ok'
      else 'service.enter($1, $2, $3, $4, $5) as ok' end
      || service_private.context_columns(collection, shape, roles)
      || case when shape ? 'call' then '{current_setting(''search_path'') as search_path}' else '{}' end::text[], E',\n  '),
    'asked', case when shape ? 'many' then service_private.asked((shape ->> 'many')::integer) end,
    'given', case when shape ? 'call' and before is null then service_private.given_arguments(shape) end,
    'answer', answer);
  -- A transaction of several statements needs a connection for itself.
  lane := case when shape ->> 'op' = 'get' and not shape ?| '{search,call}' and not enter_first then 'point' else 'scan' end;
  revalidates := shape ->> 'op' = 'get' and not shape ? 'include'
    and not exists (select from service.collections c where c.slug = collection and c.callbacks ? 'afterRead');
end $$;

comment on function service.compile(jsonb, text[]) is
  'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include, search, vector, '
  'select, groupBy …; checked: clauses of which only the names are checked; bounds: service_private.bound; many: how many values '
  'the request has, each of which is then a text array with that of several requests, and the answers come with n, the place of '
  'theirs in it; not with after, search or vector; call: {function, sent, body} for the rows that an endpoint returns, with the path '
  '["functions/<name>"] where they are no served table''s, op value where it returns none; sent: the names in '
  'its body, rows: for a volatile function that returns rows of a served table}, values replaced by parameter numbers; $1 to $5 are '
  'the values of service.enter), as callers with these roles may run it, laid out one clause a line. lane: point (bounded work, '
  'pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before, the statement '
  'does not (partitioned tables whose policies call identity functions bare). revalidates: the answer depends on nothing but the '
  'row, so while its tag stands the answer stands (no related rows, no afterRead). before: runs before it in its transaction, with '
  'the body of the call as its last value; the last value of the statement is its result. Errors: GW400 for names and operators, GW404 '
  'for unknown collections, GW501 FEATURE_DISABLED for a vector property on a server without pgvector.';

-- Example: select statement from service.compile('{"op": "list", "path": ["tags"], "limit": {"param": 6, "bucket": 64}}', '{}');

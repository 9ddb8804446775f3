-- The statement comes first: its plan is that of the tables as they are.
create or replace function service.try(request json, claims jsonb default service_private.service_claims()) returns json
  language plpgsql volatile as $$
declare
  op constant text := request ->> 'op';
  tried record;
  compiled record;
begin
  if op in ('get', 'list', 'count', 'aggregate', 'history', 'create', 'update', 'delete', 'batch', 'revert') is not true
    or op <> 'batch' and coalesce(json_typeof(request -> 'path') <> 'array' or json_array_length(request -> 'path') = 0, true)
  then
    perform service.fail(400, 'INVALID_PARAM',
      'A request has an op (get, list, count, aggregate, history, create, update, delete, batch, revert) and a path, a list.');
  end if;
  select s.statement, s.plan into compiled from service_private.tried_statement(request, claims) s;
  select u.answer, u.refusal into tried from service_private.undone(request, claims) u;
  return json_build_object(
    'status', coalesce((tried.refusal -> 'status')::integer,
      case when request -> 'bulk' is not null then 200 when op = 'create' then 201 when op = 'delete' then 204 else 200 end),
    'body', coalesce(tried.answer, (tried.refusal - 'status')::json),
    'statement', compiled.statement,
    'plan', compiled.plan,
    'why', case when tried.refusal ->> 'status' in ('403', '404') then service_private.tried_why(request, claims) end);
end $$;

comment on function service.try(json, jsonb) is
  'Runs a request of data as the caller with these claims (by default the service key), undoes it, and returns {status, body, '
  'statement, plan, why}: the answer of the API as far as the database decides it; the SQL that the request is compiled to; its plan, '
  'not run; why a row was hidden or refused, as service.access says it. request: {op, path, …}: the op get, list, count, aggregate or '
  'history with the members of a request of service.list; create, update or delete as service_private.write takes them, bulk too; '
  'batch; revert with the entry of the history. path: [collection], [collection, id], or nested. Deferred constraints are checked. '
  'Sequences move, and the work of triggers in other sessions (dblink) stays. No notification is sent, no job enqueued. GW400 '
  'INVALID_PARAM.';

-- Example: select service.try('{"op": "get", "path": ["orders", "1"]}', service.account_claims('anonymous')) ->> 'why';

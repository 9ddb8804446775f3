-- All of them or none, in their order, each through what a single write goes through: first what was sent of all of them is judged,
-- then they run. What refers to a row that is not there yet is judged in its turn.
create or replace function service.write_many(caller text[], request jsonb, sent text default null) returns json
  language plpgsql volatile as $$
declare
  is_batch constant boolean := request ->> 'op' = 'batch';
  is_minimal constant boolean := request ->> 'return' is not distinct from 'minimal';
  roles constant text[] := string_to_array(service.roles(), ',');
  requests constant jsonb := case when is_batch then service.batch_requests(request) else service.bulk_requests(request) end;
  count constant integer := jsonb_array_length(requests);
  single jsonb;
  shapes text[] := '{}';
  shape jsonb;
  plans jsonb := '{}';
  plan jsonb;
  judged jsonb[] := '{}';
  bodies json[];
  moved text[];
  id text;
  row json;
  rows jsonb := '{}';
  answers text[] := '{}';
  index integer;
  state text; message text; detail text; hint text; context text; col text; con text; typ text; tab text; sch text;
begin
  for n in 0 .. count - 1 loop
    index := n;
    single := requests -> n;
    shape := service.many_shape(single, is_minimal);
    if not plans ? shape::text then
      plans := plans || jsonb_build_object(shape::text, service.write_plan(shape, roles));
    end if;
    shapes := array_append(shapes, shape::text);
    judged := array_append(judged, case when not service.has_refs(single)
      then to_jsonb(service.judge_write(single, plans -> shape::text)) end);
  end loop;
  for n in 0 .. count - 1 loop
    index := n;
    single := service.with_refs(requests -> n, rows);
    plan := plans -> shapes[n + 1];
    if plan ? 'raw' and not service.has_refs(requests -> n) then
      bodies := coalesce(bodies, service.sent_bodies(sent::json));
    end if;
    moved := case when service.has_refs(requests -> n) then service.judge_write(single, plan)
      else array(select jsonb_array_elements_text(nullif(judged[n + 1], 'null'))) end;
    id := service.run_write(single, plan, nullif(moved, '{}'), json_build_object('body', bodies[n + 1])::text);
    row := service.read_back(plan ->> case when is_minimal then 'stored' else 'reply' end, caller, id);
    if single ? 'ref' then
      rows := rows || jsonb_build_object(single ->> 'ref', service.read_back(plan ->> 'stored', caller, id));
    end if;
    answers := array_append(answers, coalesce(case when is_minimal then service.row_id(row, plan -> 'key') else row::text end, 'null'));
  end loop;
  return service.many_answer(request, answers);
exception when others then
  get stacked diagnostics
    state = returned_sqlstate, message = message_text, detail = pg_exception_detail, hint = pg_exception_hint,
    context = pg_exception_context, col = column_name, con = constraint_name, typ = pg_datatype_name, tab = table_name, sch = schema_name;
  perform service.fail_at(index, jsonb_build_object('state', state, 'message', message, 'detail', detail, 'hint', hint, 'context', context,
    'column', col, 'constraint', con, 'type', typ, 'table', tab, 'schema', sch));
end $$;

comment on function service.write_many(text[], jsonb, text) is
  'A bulk write (service.bulk_requests) or a batch (service.batch_requests), as service.write: row by row, by the caller who entered. '
  'Returns {"data": [rows], "meta": {"written": n}}, of a bulk delete {"meta": {"deleted": n}}, of a batch {"data": [rows, null for a '
  'delete], "meta": {"operations": n}}; ids instead of rows for return=minimal. Errors as service.write, those of one row as '
  'service.fail_at tells them.';

revoke all on function service.write_many(text[], jsonb, text) from public;
grant execute on function service.write_many(text[], jsonb, text) to service_user;

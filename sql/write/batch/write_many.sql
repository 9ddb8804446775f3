-- All operations or none, in their order, each through the path of a single write: first all bodies are validated,
-- then the statements run. The failed operation is in the context of its error, which stays unchanged: the text of
-- the statement holds its number.
create or replace function service_private.write_many(caller text[], request jsonb, sent text default null, known jsonb default null)
  returns json
  language plpgsql volatile as $$
declare
  requests constant jsonb := case request ->> 'op'
    when 'batch' then service_private.batch_requests(request)
    else service_private.bulk_requests(request) end;
  count constant integer := jsonb_array_length(requests);
  shapes text[] := '{}';
  plans jsonb := coalesce((select jsonb_object_agg((k.pair -> 0)::text, k.pair -> 1) from jsonb_array_elements(known) k (pair)), '{}');
  moved jsonb := '{}';
  rows jsonb := '{}';
  answers text[] := '{}';
  bodies json[];
  shape jsonb;
  plan jsonb;
  names text[];
  shown text;
  stored json;
  answer json;
begin
  for n in 0 .. count - 1 loop
    shape := service_private.many_shape(requests -> n);
    execute format('/* write %s */ select * from service_private.validate_one($1, $2, $3)', n) into plan, names
      using requests -> n, shape, plans -> shape::text;
    plans := case when plans ? shape::text then plans else plans || jsonb_build_object(shape::text, plan) end;
    shapes := array_append(shapes, shape::text);
    moved := case when names is null then moved else moved || jsonb_build_object(n::text, names) end;
  end loop;
  answer := service_private.answered(request);
  if answer is not null then
    return answer -> 'answer';
  end if;
  for n in 0 .. count - 1 loop
    plan := plans -> shapes[n + 1];
    names := array(select m from jsonb_array_elements_text(moved -> n::text) m);
    bodies := case when plan ? 'raw' then coalesce(bodies, service_private.sent_bodies(sent::json)) end;
    execute format('/* write %s */ select * from service_private.write_one($1, $2, $3, $4, $5, $6)', n) into shown, stored
      using caller, requests -> n, plan, nullif(names, '{}'), rows, bodies[n + 1];
    answers := array_append(answers, coalesce(shown, 'null'));
    if requests -> n ? 'ref' then
      rows := rows || jsonb_build_object(requests -> n ->> 'ref', stored);
    end if;
  end loop;
  answer := service_private.many_answer(request, answers);
  return case when request ? 'key' and count > 0 then service_private.keep_answer(request, answer) else answer end;
end $$;

comment on function service_private.write_many(text[], jsonb, text, jsonb) is
  'A bulk write (service_private.bulk_requests) or a batch (service_private.batch_requests), as service_private.write: row by row, by the '
  'caller who entered. Returns {"data": [rows], "meta": {"written": n}}, of a bulk delete {"meta": {"deleted": n}}, of a batch {"data": '
  '[rows, null for a delete], "meta": {"operations": n}}; ids instead of rows for return=minimal. Errors as service_private.write; the '
  'context of one has /* write n */, counted from 0. known: [[service_private.many_shape, service_private.write_plan], …]; missing '
  'ones are made.';

grant execute on function service_private.write_many(text[], jsonb, text, jsonb) to service_user;

-- All of it is undone. The gateway's own checks, such as the scopes of a key, are not part of it. words: PostgreSQL's messages about rights
-- have names alone. Any other may hold values, and so may one that SQL of the project raises with the same SQLSTATE.
create or replace function service_private.attempt(request jsonb, claims jsonb) returns jsonb
  language plpgsql volatile as $$
declare
  answer json;
  code text;
  detail text;
  context text;
begin
  if request ->> 'op' = 'get' then
    answer := service.get(request #>> '{path,0}', request #>> '{path,1}', '{}', claims);
    if answer is null then
      perform service.fail(404, 'NOT_FOUND', 'No such row.');
    end if;
  else
    answer := service_private.change(request, claims);
  end if;
  raise exception using errcode = 'GW000', message = 'undone';
exception
  when query_canceled then
    return jsonb_build_object('status', 503, 'code', 'SERVICE_UNAVAILABLE', 'message', sqlerrm, 'words', 'SERVICE_UNAVAILABLE');
  when others then
    get stacked diagnostics code = pg_exception_hint, detail = pg_exception_detail, context = pg_exception_context;
    return case
      when sqlstate = 'GW000' then '{}'::jsonb
      when sqlstate ~ '^GW[45]' then jsonb_build_object('status', right(sqlstate, 3)::integer, 'code', code, 'message', sqlerrm, 'words',
        coalesce((
          select format('%s, %s, refuses', s.stage, c.callbacks ->> s.stage)
          from (select substring(detail from '"stage" ?: ?"(\w+)"'), substring(detail from '"path" ?: ?"([^"]+)"')) s (stage, slug)
          join service.collections c on c.slug = s.slug and c.callbacks ? s.stage
          where code = 'CALLBACK_REJECTED'), code || ': ' || sqlerrm))
      when sqlstate = '42501' then jsonb_build_object('status', 403, 'code', 'WRITE_DENIED', 'message', sqlerrm, 'words',
        'WRITE_DENIED' || case when split_part(context, E'\n', 1) ~ ' at RAISE$' then '' else ': ' || sqlerrm end)
      else jsonb_build_object('code', sqlstate, 'message', sqlerrm, 'words', 'SQLSTATE ' || sqlstate) end;
end $$;

comment on function service_private.attempt(jsonb, jsonb) is
  'Runs a get, or a request of service_private.write, as the caller with these claims, and undoes it: {status, code, message, '
  'words} of its refusal, {} where it is answered. words: what may be told the caller, without values of rows.';

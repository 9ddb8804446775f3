-- The gateway's own checks, such as the scopes of a key, are not part of it. The API checks deferred constraints at its commit, as the
-- caller, whom the request has entered. words: PostgreSQL's messages about rights have names alone. Any other may hold values, and so may
-- one that SQL of the project raises with the same SQLSTATE.
create or replace function service_private.undone(request json, claims jsonb, out answer json, out refusal jsonb, out words text)
  language plpgsql volatile as $$
declare
  caller constant text[] := service_private.caller(claims);
  hint text;
  detail text;
  context text;
  details jsonb;
begin
  if request ->> 'op' in ('get', 'list', 'count', 'aggregate', 'history') then
    select r::json into answer from service_private.run(request, claims) r;
    if answer is null then
      perform service.fail(404, 'NOT_FOUND', 'No such row.');
    end if;
  else
    answer := service_private.change(request::jsonb, claims);
    perform set_config('role', 'service_user', true), set_config('request.jwt.claims', '{}', true);
    perform service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
    set constraints all immediate;
  end if;
  raise exception using errcode = 'GW000', message = 'undone';
exception when query_canceled or others then
  -- As a condition GW000 would be every error of its class.
  if sqlstate <> 'GW000' then
    get stacked diagnostics hint = pg_exception_hint, detail = pg_exception_detail, context = pg_exception_context;
    begin
      details := case when sqlstate ~ '^GW' then detail::jsonb end;
    exception when others then
      null; -- the project's own SQL may raise what is no JSON
    end;
    answer := null;
    select jsonb_build_object('status', r.status, 'error', jsonb_strip_nulls(jsonb_build_object(
      'message', sqlerrm, 'code', coalesce(case when sqlstate ~ '^GW' then hint end, r.code), 'details', details)))
    into refusal
    from service_private.refusal_of(sqlstate) r;
    words := case
      when hint = 'CALLBACK_REJECTED' and sqlstate ~ '^GW' then (
        select format('%s, %s, refuses', details ->> 'stage', c.callbacks ->> (details ->> 'stage'))
        from service.collections c where c.slug = details ->> 'path' and c.callbacks ? (details ->> 'stage'))
      when sqlstate = '42501' and split_part(context, E'\n', 1) !~ ' at RAISE$' then 'WRITE_DENIED: ' || sqlerrm
      when sqlstate in ('42501', '57014') then refusal #>> '{error,code}'
      when sqlstate !~ '^GW' then 'SQLSTATE ' || sqlstate end;
    words := coalesce(words, (refusal #>> '{error,code}') || ': ' || sqlerrm);
  end if;
end $$;

comment on function service_private.undone(json, jsonb) is
  'Runs a read {op, path, …} (service_private.run), or a write (service_private.change), as the caller with these claims, with its '
  'deferred constraints, and undoes it: its answer, or its refusal {status, error: {code, message, details}}, in words too: what may be '
  'told without values of rows.';

-- Runs the statement of a plan, and what links its row with others; when it touches no row, says why.
create or replace function service_private.run_write(request jsonb, plan jsonb, moved text[], sent text default null) returns text
  language plpgsql volatile as $$
declare
  op constant text := request ->> 'op';
  id text := request -> 'path' ->> 1;
  parameters constant text[] := array[coalesce(sent::json ->> 'body', request ->> 'body'), id, request ->> 'match',
    request ->> 'above'];
  written text;
  broken text;
  current text;
  attaching text[];
begin
  if request ? 'above' then
    perform service_private.require_readable_ids(request, plan -> 'ids');
  end if;
  if plan ? 'above' then
    perform service_private.require_parent(request, service_private.run_planned(plan ->> 'above', parameters));
  end if;
  if op <> 'create' and not service_private.is_readable_id(id, plan -> 'keyTypes') then
    perform service_private.require_found(request, null);
  elsif moved is not null then
    perform service_private.refuse_unaffected(request, service_private.run_planned(plan ->> 'visible', parameters), moved);
  elsif plan ? 'link' and request ? 'match' then
    perform service_private.require_found(request, service_private.run_planned(plan ->> 'visible', parameters));
  elsif plan ? 'stamp' and request -> 'body' ->> (plan ->> 'stamp') is not null then
    perform service_private.require_found(request, service_private.run_planned(plan ->> 'visible', parameters));
    perform service_private.refuse_stamp(request -> 'path' ->> 0, plan ->> 'stamp');
  end if;
  for attempt in 1 .. case when plan ? 'bounds' then 2 else 1 end loop
    written := service_private.run_planned(plan ->> 'statement', parameters);
    exit when written is not null;
    broken := service_private.run_planned(plan ->> 'bounds', parameters);
    exit when broken is not null; -- else another session may have changed the row in between
  end loop;
  if written is null then
    if service_private.run_planned(plan ->> 'trashed', array[request ->> 'body']) is not null then
      perform service.fail(409, 'ROW_IN_TRASH', 'The row that is there already is deleted. It can be restored.',
        jsonb_build_object('collection', request -> 'path' -> 0));
    end if;
    current := service_private.run_planned(plan ->> 'visible', parameters);
    if broken is not null then
      perform service_private.require_found(request, current);
      perform service_private.refuse_violations(request -> 'path' ->> 0, broken::jsonb);
    end if;
    if plan ? 'link' and current is not null then
      perform service_private.require_found(request, current);
      perform service_private.require_linked(plan, '{"kept": true}');
    end if;
    perform service_private.refuse_unaffected(request, current);
  end if;
  id := case op when 'create' then written else id end;
  if plan ? 'links' then
    perform service_private.write_links(request, plan -> 'links', id);
  end if;
  if plan ? 'attach' then
    attaching := array[jsonb_build_array(jsonb_build_object('id', id))::text, null, null, request ->> 'above'];
    perform service_private.run_planned(plan #>> '{attach,statement}', attaching);
    perform service_private.require_linked(plan -> 'attach',
      service_private.run_planned(plan #>> '{attach,state}', attaching)::jsonb || '{"kept": false}');
  end if;
  return id;
end $$;

comment on function service_private.run_write(jsonb, jsonb, text[], text) is
  'Writes one row by a plan whose values are valid (service_private.validate_write, which returns moved), as the caller who entered. '
  'Returns the id of the row; a blank for a new one that is not returned to the client. sent: the text of the request, for json as it was '
  'sent. Errors: GW400 VALIDATION_CONSTRAINT for operations whose results break a bound, GW409 ROW_IN_TRASH {collection} of an upsert, '
  'those of service_private.require_found, service_private.refuse_unaffected, service_private.refuse_stamp, service_private.require_parent '
  'and service_private.require_linked; and the database''s own.';

grant execute on function service_private.run_write(jsonb, jsonb, text[], text) to service_user;

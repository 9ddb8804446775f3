create or replace function service_private.write_one(
  caller text[], single jsonb, plan jsonb, moved text[], rows jsonb, sent json, out answer text, out stored json)
  language plpgsql volatile as $$
declare
  has_refs constant boolean := service_private.has_refs(single);
  id text;
begin
  if has_refs then
    single := service_private.with_refs(single, rows);
    moved := service_private.validate_write(single, plan);
  end if;
  id := service_private.run_write(single, plan, moved, case when not has_refs then json_build_object('body', sent)::text end);
  if single ->> 'op' = 'delete' then
    return;
  end if;
  stored := case when plan ? 'stored' then service_private.read_back(plan ->> 'stored', caller, id) end;
  answer := case
    when not single ? 'return' then service_private.read_back(plan ->> 'reply', caller, id)::text
    when jsonb_array_length(plan -> 'key') = 1 then (stored -> (plan #>> '{key,0}'))::text
    else stored::text end;
end $$;

comment on function service_private.write_one(text[], jsonb, jsonb, text[], jsonb, json) is
  'Runs one write among many that has been judged (service_private.validate_one). rows: those that it may refer to, by name; sent: its '
  'body '
  'as it was sent, where json is stored. answer: the row as the caller reads it, for return=minimal its id, null for a delete; stored: the '
  'row before afterRead, where the plan says so.';

grant execute on function service_private.write_one(text[], jsonb, jsonb, text[], jsonb, json) to service_user;

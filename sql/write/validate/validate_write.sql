-- Most bodies have nothing doubtful and are not looked at twice.
create or replace function service_private.validate_write(request jsonb, plan jsonb) returns text[]
  language plpgsql stable as $$
declare
  body jsonb;
  doubtful jsonb;
begin
  if request ->> 'op' = 'delete' then
    return null;
  end if;
  if plan ? 'links' then
    perform service_private.require_key_scope(l ->> 'scope') from jsonb_array_elements(plan -> 'links') l;
  end if;
  body := request -> 'body';
  if plan ? 'operations' then
    body := body || (select jsonb_object_agg(o.key, service_private.sent_operand(body -> o.key, o.value))
      from jsonb_each_text(plan -> 'operations') o);
  end if;
  doubtful := service_private.fields_to_check(body, plan);
  if doubtful = '[]' and not plan ?| array['missing', 'twice', 'sentKey', 'links', 'link'] and strpos(request ->> 'body', '"$') = 0 then
    return null;
  end if;
  return service_private.check_body(request, body, plan, doubtful, service.uid());
end $$;

comment on function service_private.validate_write(jsonb, jsonb) is
  'Judges the values of a write by its plan, as service_private.check_body, before anything is looked up, and whether an API key may link '
  'the rows that they name (service_private.require_key_scope). Returns the names under which an update sends another key than that of its '
  'row; null when it does not.';

grant execute on function service_private.validate_write(jsonb, jsonb) to service_user;

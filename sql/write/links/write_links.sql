create or replace function service_private.write_links(request jsonb, links jsonb, id text) returns void
  language plpgsql volatile as $$
declare
  link jsonb;
  statement text;
  parameters text[];
begin
  for link in select l from jsonb_array_elements(links) l loop
    parameters := array[service_private.sent_elements(request -> 'body' -> (link ->> 'field'), link -> 'key')::text, id];
    for statement in select s from jsonb_array_elements_text(link -> 'statements') s loop
      perform service_private.run_planned(statement, parameters);
    end loop;
    perform service_private.require_linked(link, service_private.run_planned(link ->> 'state', parameters)::jsonb);
  end loop;
end $$;

comment on function service_private.write_links(jsonb, jsonb, text) is
  'Sets the links that a body names, by their plans (service_private.link_plans), once its own row, of this id, is written: afterwards the '
  'caller sees those and no others. Errors as service_private.require_linked, and the database''s own.';

grant execute on function service_private.write_links(jsonb, jsonb, text) to service_user;

create or replace function service.require_expressions() returns void
  language plpgsql volatile as $$
declare
  problems jsonb := (select jsonb_agg(p order by p.path) from service.expression_problems() p);
begin
  if problems is not null then
    perform service.fail(400, 'SCHEMA_CHANGE_FAILED',
      (select string_agg(format('%s: %s', p ->> 'path', p ->> 'problem'), e'\n') from jsonb_array_elements(problems) p),
      jsonb_build_object('problems', problems));
  end if;
end $$;

comment on function service.require_expressions() is
  'Nothing, or GW400 SCHEMA_CHANGE_FAILED with details.problems, those of service.expression_problems().';

revoke all on function service.require_expressions() from public;

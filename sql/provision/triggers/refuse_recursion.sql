create or replace function service_private.refuse_recursion() returns void
  language plpgsql volatile as $$
declare
  stack text;
begin
  get diagnostics stack = pg_context;
  raise exception using
    errcode = 'GW500',
    message = format('Callbacks have written %s levels deep.', pg_trigger_depth()),
    detail = (
      select json_build_object('chain', json_agg(m.name[1] order by m.n desc), 'depth', pg_trigger_depth())
      from regexp_matches(stack, 'service_private\.(\S+__(?:before|after)_(?:save|delete)"?)\(\)', 'g') with ordinality m (name, n))::text,
    hint = 'CALLBACK_RECURSION';
end $$;

comment on function service_private.refuse_recursion() is
  'Ends callbacks whose writes call callbacks: GW500 CALLBACK_RECURSION with {chain, depth}, the trigger functions outermost '
  'first. Called by the generated triggers below 16 levels.';

grant execute on function service_private.refuse_recursion() to service_user;

create or replace function service.explain(collection text, request json default '{}',
  claims jsonb default service_private.service_claims())
  returns setof text
  language plpgsql volatile as $$
declare
  routed json := service_private.with_route('list', array[collection], request);
begin
  return query
    select l.line
    from service.compile((service_private.hoist(routed)).shape, service_private.claimed_roles(claims)) c,
      string_to_table(c.statement, E'\n') l (line);
  return query select * from service_private.run(routed, claims, 'explain (analyze, buffers)');
end $$;

comment on function service.explain(text, json, jsonb) is
  'The statement of a list, then its plan, run for real as the caller with these claims (by default the service key).';

-- Example: select * from service.explain('products', '{"where": {"sku": ["==", "TG-101"]}}');

create or replace function service_private.run(request json, claims jsonb, prefix text default '') returns setof text
  language sql volatile
begin atomic
  select r.r
  from service_private.hoist(request) h
  cross join lateral service_private.run_shape(h.shape, h.parameters, claims, prefix) r (r);
end;

comment on function service_private.run(json, jsonb, text) is
  'Runs a request {op, path, …} as the caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}): the body the API '
  'would send; with prefix ''explain'' its plan.';

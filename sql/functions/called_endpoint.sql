-- A look at a function takes milliseconds: the compiler looks once (service_private.with_endpoint).
create or replace function service_private.called_endpoint(shape jsonb, out oid oid, out document jsonb, out name text)
  language plpgsql stable as $$
begin
  if shape #> '{call,oid}' is not null then
    oid := shape #>> '{call,oid}';
    document := shape #> '{call,document}';
    name := shape #>> '{call,function}';
    return;
  end if;
  select e.oid, e.document, e.name into oid, document, name
  from service_private.endpoints(shape #>> '{call,function}') e where e.problem is null;
  if oid is null then
    perform service.fail(404, 'FUNCTION_NOT_FOUND', format('There is no function %s.', shape #>> '{call,function}'),
      jsonb_build_object('function', shape #>> '{call,function}'));
  end if;
end $$;

comment on function service_private.called_endpoint(jsonb) is
  'The endpoint that a shape calls: its function, and its document (service_private.endpoint_document). GW404 FUNCTION_NOT_FOUND.';

create or replace function service_private.service_function(name text) returns table (call text, problem text)
  language sql stable
begin atomic
  select c.called || '($1::text::jsonb)', c.problem from service_private.caller_function(name, 'jsonb') c;
end;

comment on function service_private.service_function(text) is
  'The call of a function of the project that runs as the service, (jsonb) returns jsonb, or what is wrong with it.';

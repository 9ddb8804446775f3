create or replace function service_private.channel_authorizer(function text) returns table (statement text, problem text)
  language plpgsql stable set jit = off as $$
declare
  called text;
begin
  select c.called, c.problem into called, problem from service_private.caller_function(function, 'boolean') c;
  if problem is null then
    statement := service_private.fill($sql$
      select a.allowed
      from (select service.enter($1, $2, $3, $4, $5) as ok offset 0) ctx
      cross join lateral (select <function>($6::text::jsonb) as allowed where ctx.ok offset 0) a
    $sql$, 'function', called);
  end if;
  return next;
end $$;

comment on function service_private.channel_authorizer(text) is
  'The statement by which a gateway asks the function of this name whether a caller ($1 to $5) may do something in a channel ($6), or what '
  'is wrong with it.';

-- An error of a type's input function or a domain's check names no argument: each is read by itself, as the caller.
create or replace function service_private.argument_statements(shape jsonb) returns table (field text, message text, statement text)
  language plpgsql stable as $$
begin
  shape := service_private.with_endpoint(shape);
  return query
    select coalesce(a.field, ''), format('%s cannot be read as %s.', coalesce(a.field, 'The body'), service_private.declared_type(a.type)),
      service_private.fill($sql$
          select given.<value>::text
          from (
            select service.enter($1, $2, $3, $4, $5) as ok
            offset 0
          ) ctx
          <given>
        $sql$,
        'value', 'a' || a.n,
        'given', service_private.given_arguments(jsonb_set(shape, '{call}', shape -> 'call'
          || jsonb_build_object('body', 6, 'sent', jsonb_build_array(coalesce(a.field, ''))))))
    from service_private.sent_arguments(shape) a
    order by a.n;
end $$;

comment on function service_private.argument_statements(jsonb) is
  'For each argument that a call sends, by its name in the body: the statement that reads it alone ($1 to $5 the caller, $6 the body), and '
  'what is said where it fails.';

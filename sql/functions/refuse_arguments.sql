create or replace function service_private.refuse_arguments(function text, code text, fields text[], violation text, message text)
  returns void
  language plpgsql stable as $$
begin
  perform service.fail(400, code, string_agg(format(message, f), ' ' order by n), jsonb_build_object(
    'function', function,
    'violations', jsonb_agg(jsonb_build_object('field', f, 'code', violation, 'message', format(message, f)) order by n),
    'messages', jsonb_agg(format(message, f) order by n)))
  from unnest(fields) with ordinality u (f, n);
end $$;

comment on function service_private.refuse_arguments(text, text, text[], text, text) is
  'GW400 of this code for these arguments of a call: violation is the code of each, message a format of its name. Details {function, '
  'violations, messages}.';

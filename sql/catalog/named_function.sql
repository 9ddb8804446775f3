-- PostgreSQL 15 raises where the name is empty or has bad quotes; later versions return null. All raise at a.b.c.
create or replace function service_private.named_function(name text, arguments text[]) returns regprocedure
  language plpgsql stable strict as $$
begin
  return to_regprocedure(format('%s(%s)', name, array_to_string(arguments, ', ')));
exception when syntax_error or invalid_name or invalid_text_representation or feature_not_supported or too_many_arguments then
  return null;
end $$;

comment on function service_private.named_function(text, text[]) is
  'The function of this name, as a settings file writes it, that takes these types; null when there is none, or when the text is no name.';

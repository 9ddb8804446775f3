-- As PostgreSQL reads the option, which takes on, yes, true and what they begin with, whatever the case.
create or replace function service_private.runs_as_caller(options text[]) returns boolean
  language sql stable
begin atomic
  select coalesce(bool_or(o.option_value::boolean), false) from pg_options_to_table(options) o where o.option_name = 'security_invoker';
end;

comment on function service_private.runs_as_caller(text[]) is
  'Whether a view with these options (pg_class.reloptions) runs with the rights of its reader, under their row security: security_invoker.';

-- Such an error names no column, so each sent value is tried again. Input functions err in several classes: ltree has bad
-- syntax, regclass an unknown name, hstore before PostgreSQL 16 an internal error.
create or replace function service_private.unreadable_columns(served service.collections, request jsonb) returns text[]
  language plpgsql stable as $$
declare
  sent text[] := array(select jsonb_object_keys(request -> 'body'));
  written record;
  unreadable text[];
begin
  for written in
    select w.*, a.atttypmod - 4 as width, service_private.column_type(a.atttypid, a.atttypmod) as type
    from service_private.written_columns(served, request ->> 'op', sent) w
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(service_private.table_name(served.slug)) and a.attname = w.column_name
  loop
    begin
      execute format('select (%s)::%s from %s', written.expression, written.type,
        service_private.sent_record('$1', array[written.field], array[written.read_as])) using request ->> 'body';
      if written.type ~ '^character.*\(' and char_length(request -> 'body' ->> written.field) > written.width then
        unreadable := unreadable || written.column_name;
      end if;
    exception
      when data_exception or syntax_error_or_access_rule_violation or feature_not_supported or internal_error then
        unreadable := unreadable || written.column_name;
      when integrity_constraint_violation then
        -- A domain's check could read it.
        null;
    end;
  end loop;
  return unreadable;
end $$;

comment on function service_private.unreadable_columns(service.collections, jsonb) is
  'The columns whose sent values cannot be read as their types, or are too long for them; null when all can.';

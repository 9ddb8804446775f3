-- A column that is sent by two names is written once; service_private.disagreeing_fields has seen that both say the same.
create or replace function service_private.written_columns(
  served service.collections, op text, sent text[], body text default null, sometimes text[] default '{}',
  operations jsonb default null, roles text[] default null)
  returns table (column_name text, expression text, field text, read_as text)
  language sql stable
begin atomic
  select (s.property).column_name,
    case when s.field = any (sometimes) then format('case when %s ? %L then %s else %s end', body, s.field, w.expression,
        case op when 'update' then format('t.%I', (s.property).column_name)
          else service_private.default_expression(service_private.table_name(served.slug), (s.property).column_name) end)
      when o.name is not null then service_private.operation_expression(s.field, s.property, o.name, roles)
      else w.expression end,
    s.field, case when o.name is null then e.read_as else 'jsonb' end
  from (
    select distinct on ((f.property).column_name) f.*
    from service_private.sent_fields(served, sent) f
    where not (f.property).attributes ? 'autoValue' and not (op = 'update' and (f.property).name = any (served.key))
    order by (f.property).column_name, f.field
  ) s
  cross join lateral service_private.stored_expression(s.field, s.property, s.unwraps) e
  -- Only a new row is completed: of a stored one a map that is sent replaces the whole, but for what the caller cannot see or write.
  cross join lateral (
    select case op when 'create' then service_private.filled_map(e.expression, (s.property).attributes)
      else service_private.replacement(s.field, e.expression, s.property, roles) end) w (expression)
  cross join lateral (select operations ->> s.field) o (name);
end;

comment on function service_private.written_columns(service.collections, text, text[], text, text[], jsonb, text[]) is
  'The columns that a body with these names writes: SQL text of the value, and the field and type that it is read from. Stamps are not '
  'included: a trigger sets them. A value that a body (SQL text, jsonb) sends only sometimes stays as it is where it is left out, or is '
  'the column''s default. operations: as of service_private.sent_operations; roles: of the caller, who overwrites no closed parts inside a '
  'value.';

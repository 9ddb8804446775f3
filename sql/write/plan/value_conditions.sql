-- The checks of service_private.check_body as conditions. An object that may be a field operation is left to
-- service_private.refuse_operations, where the type would take it as a value.
create or replace function service_private.value_conditions(plan jsonb, body text) returns text[]
  language plpgsql stable as $$
begin
  return (
    with sent as (
      select f.*, v.value as sent,
        coalesce(r.value, v.value) as value, coalesce('(' || r.value || ' #>> ''{}'')', v.text) as text
      from jsonb_to_recordset(plan -> 'fields') f (field text, "column" text, type text, "sqlType" text, unwraps text, operation text,
        rules jsonb, "maxLength" integer, required text, stamp boolean, sometimes boolean, closed jsonb)
      cross join lateral (select format('(%s -> %L)', body, f.field), format('(%s ->> %L)', body, f.field)) v (value, text)
      cross join lateral (
        select case when f.operation is not null then format('service_private.sent_operand(%s, %L)', v.value, f.operation)
          when f.unwraps is not null then format('service_private.unwrapped(%s, %L)', v.value, f.unwraps) end) r (value)
      where f.stamp is null
    )
    select array_agg(c.condition order by c.n, c.field)
    from (
      select 1, f.field, format(
        case when f.required is not null then '%1$s <> ''null'' and %2$s'
          when f.operation is not null then '%1$s is not null and %2$s' when f.sometimes then '(%1$s is null or %2$s)' else '%2$s' end,
        f.value, service_private.value_condition(f.value, f.text, f.type, f."sqlType",
          coalesce(f.rules, '{}') || jsonb_strip_nulls(jsonb_build_object('maxLength', f."maxLength"))))
      from sent f
      union all
      select 2, f.field, format('coalesce(strpos(%s::text, ''"$''), 0) = 0', f.sent)
      from sent f
      where f.operation is null
        and (f.unwraps is not null or f.type not in ('string', 'number', 'boolean', 'date', 'array', 'vector', 'binary'))
      union all
      select 3, f.field, format('coalesce(%s, '''') = coalesce(%s, '''')', f.text, other.text)
      from sent f
      join sent other on other."column" = f."column" and other.field > f.field
      union all
      select 4, k, format('(%s -> %L) not in (''null'', ''""'')', body, k)
      from jsonb_array_elements_text(coalesce(plan -> 'sentKey', '[]') || coalesce(plan -> 'target', '[]')) k
      where not plan ? 'keyTypes'
      union all
      select 6, f.field, format('not exists (select from service_private.closed_sent('''', %s, %L))', f.value, f.closed)
      from sent f
      where f.closed is not null
      union all
      -- A stamp of the caller that must not be empty.
      select 5, '', 'coalesce($1, '''') not in ('''', ''anonymous'')'
      where jsonb_path_exists(plan, '$.fields[*] ? (exists (@.stamp))')
    ) c (n, field, condition));
end $$;

comment on function service_private.value_conditions(jsonb, text) is
  'SQL text, as conditions, of "no value of this body breaks a rule of this plan" (service_private.write_plan), which errors of class 22 '
  'deny as well; null without any. body: SQL text of the body, jsonb; $1 is the caller''s uid. A field that is sent sometimes only may be '
  'left out.';

-- What is judged here is service.doubtful_fields and service.has_blank_key, as conditions.
create or replace function service.value_conditions(plan jsonb, body text) returns text[]
  language sql stable
begin atomic
  select array(
      select case
        when f.value ? 'required' then format('%s <> ''null'' and %s', v.value, v.fits)
        when f.value ? 'sometimes' then format('(not %s ? %L or %s = ''null'' or %s)', body, f.value ->> 'field', v.value, v.fits)
        else format('(%s = ''null'' or %s)', v.value, v.fits) end
      from jsonb_array_elements(plan -> 'fields') f
      cross join lateral (
        select s.value, concat_ws(' and ', format('service.fits_type(%s, %L, %L)', s.value, f.value ->> 'type', f.value ->> 'sqlType'),
          'char_length(' || s.value || ' #>> ''{}'') <= ' || (f.value ->> 'maxLength')) as fits
        from (select format('(%s -> %L)', body, f.value ->> 'field') as value) s) v
      order by f.value ->> 'field')
    || array(select format('(%s -> %L) not in (''null'', ''""'')', body, k)
      from jsonb_array_elements_text(coalesce(plan -> 'sentKey', '[]') || coalesce(plan -> 'target', '[]')) k);
end;

comment on function service.value_conditions(jsonb, text) is
  'SQL text, as conditions, of "no value of this body is doubtful by this plan" (service.write_plan; a field that is sent sometimes '
  'only may be left out). body: SQL text of the body, jsonb.';

revoke all on function service.value_conditions(jsonb, text) from public;

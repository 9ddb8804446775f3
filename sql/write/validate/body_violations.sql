-- A date that nothing else is doubtful of is tried only here, where the body is refused anyway, or may be: in the loop over
-- all fields it would cost every write.
create or replace function service_private.body_violations(body jsonb, plan jsonb, doubtful jsonb, uid text) returns jsonb
  language plpgsql stable as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('field', v.field, 'code', v.code, 'message', v.message) order by v.field, v.code)
    from (
      select j.field_path, j.code, j.message
      from jsonb_to_recordset(doubtful) f (field text, type text, "sqlType" text, rules jsonb, "maxLength" integer, unwraps text)
      cross join lateral service_private.violations(f.field, service_private.unwrapped(body -> f.field, f.unwraps), f.type, f."sqlType",
        coalesce(f.rules, '{}') || jsonb_strip_nulls(jsonb_build_object('maxLength', f."maxLength"))) j
      where f.type is not null
      union -- a date may be in both
      select f.field, 'type', format('%s must be %s.', f.field, service_private.type_in_words(f.type, f."sqlType"))
      from jsonb_to_recordset(plan -> 'fields') f (field text, type text, "sqlType" text, unwraps text)
      cross join lateral (select service_private.unwrapped(body -> f.field, f.unwraps)) j (value)
      where f.type = 'date' and j.value <> 'null'
        and not service_private.is_readable_date(j.value #>> '{}', f."sqlType")
      union all
      select f.field, 'required', f.required
      from jsonb_to_recordset(doubtful) f (field text, required text, stamp boolean)
      where f.required is not null and case when f.stamp then uid = 'anonymous' else body -> f.field = 'null' end
      union all
      select m.field, m.code, m.message from jsonb_to_recordset(plan -> 'missing') m (field text, code text, message text)
      union all
      select t.field, 'conflict', t.message from service_private.disagreeing_fields(body, plan) t
      union all
      select l.field, l.code, l.message from service_private.link_violations(body, plan -> 'links') l
      union all
      select l.field, l.code, l.message from service_private.pivot_violations('_pivot', body -> '_pivot', plan) l where plan ? 'link'
    ) v (field, code, message));
end $$;

comment on function service_private.body_violations(jsonb, jsonb, jsonb, text) is
  'Every rule that a body breaks by the plan of its write, in its doubtful fields (service_private.fields_to_check) and by what it leaves '
  'out: [{field, code, message}]: those of service_private.violations and service_private.link_violations, required (also for a stamp of '
  'the caller without a sign-in), conflict; null when it breaks none.';

create or replace function service_private.may_remind(uid text) returns boolean
  language sql stable
begin atomic
  select not exists (
    select from service.one_time_tokens t
    where t.uid = may_remind.uid and t.purpose = 'verification' and t.created_at > clock_timestamp() - interval '1 minute');
end;

comment on function service_private.may_remind(text) is
  'Whether a sign-in to an account whose address is not verified may mail the link again: none was mailed within a minute.';

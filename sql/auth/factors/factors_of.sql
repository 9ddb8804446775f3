create or replace function service.factors_of(uid text) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(
    service.factor_json(f) || jsonb_build_object('verified', f.verified_at is not null, 'createdAt', service.iso_time(f.created_at))
    order by f.created_at, f.id), '[]')
  from service.mfa_factors f
  where f.uid = factors_of.uid;
end;

comment on function service.factors_of(text) is
  'The second factors of an account, the oldest first: service.factor_json with {verified, createdAt}.';

revoke all on function service.factors_of(text) from public;

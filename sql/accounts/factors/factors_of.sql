create or replace function service_private.factors_of(uid text) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(
    service_private.factor_json(f) || jsonb_build_object('verified', f.verified_at is not null, 'createdAt',
      service_private.iso_time(f.created_at))
    order by f.created_at, f.id), '[]')
  from service.mfa_factors f
  where f.uid = factors_of.uid;
end;

comment on function service_private.factors_of(text) is
  'The second factors of an account, the oldest first: service_private.factor_json with {verified, createdAt}.';

create or replace function service_private.factor_json(factor service.mfa_factors) returns jsonb
  language sql immutable
begin atomic
  select jsonb_build_object('id', factor.id, 'factorType', factor.factor_type, 'friendlyName', factor.friendly_name);
end;

comment on function service_private.factor_json(service.mfa_factors) is 'A second factor by name: {id, factorType, friendlyName}.';

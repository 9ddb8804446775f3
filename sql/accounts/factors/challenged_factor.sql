create or replace function service_private.challenged_factor(uid text, challenge_id text) returns table (id uuid, sealed_secret bytea)
  language sql volatile
begin atomic
  select f.id, f.sealed_secret
  from service_private.open_challenge(uid, challenge_id) c join service.mfa_factors f on f.id = c.factor_id;
end;

comment on function service_private.challenged_factor(text, text) is
  'The factor that a challenge asks for, with its encrypted secret. Refuses as service_private.open_challenge.';

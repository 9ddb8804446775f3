// Libraries that others wrote, as strict as they are.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { test, type Test } from 'tap';
import type { Session } from '../accounts/people.ts';
import { browse, errorOf, through } from './browser.ts';
import { ISSUER, REDIRECT, RESOURCE, serveOAuth, type OAuthService } from './clients.ts';

async function served(t: Test): Promise<{ service: OAuthService; ada: Session }> {
  const service = await serveOAuth(t);
  return { service, ada: await service.register('ada@example.org') };
}

const METHODS = {
  none: () => oauth.None(), client_secret_post: oauth.ClientSecretPost, client_secret_basic: oauth.ClientSecretBasic,
};

for (const [method, authentication] of Object.entries(METHODS)) {
  test(`oauth4webapi goes all the way: ${method}`, async t => {
    const { service, ada } = await served(t);
    const options = { [oauth.customFetch]: through(service) };
    const [resource, issuer] = [new URL(RESOURCE), new URL(ISSUER)];
    const guarded = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, options));
    t.same(guarded.authorization_servers, [ISSUER]);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' }));
    const { client_id, client_secret } = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(
      as, { redirect_uris: [REDIRECT], client_name: 'A standard client', token_endpoint_auth_method: method }, options));
    const client: oauth.Client = { client_id };
    const auth = authentication(client_secret as string);
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id, redirect_uri: REDIRECT, response_type: 'code', scope: 'data:read', state, resource: RESOURCE,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    }).toString();
    const answer = oauth.validateAuthResponse(as, client, await browse(service, ada, url), state);
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, await oauth.authorizationCodeGrantRequest(
      as, client, auth, answer, REDIRECT, verifier, { ...options, additionalParameters: { resource: RESOURCE } }));
    t.match(tokens, { token_type: 'bearer', scope: 'data:read', expires_in: 3600 });
    const refresh = async (token = '') => oauth.processRefreshTokenResponse(
      as, client, await oauth.refreshTokenGrantRequest(as, client, auth, token, options));
    const next = await refresh(tokens.refresh_token);
    t.not(next.refresh_token, tokens.refresh_token);
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, next.refresh_token ?? '', options));
    t.equal(await errorOf(refresh(next.refresh_token)), 'invalid_grant');
  });
}

test('openid-client goes all the way', async t => {
  const { service, ada } = await served(t);
  const [metadata, options] = [{ redirect_uris: [REDIRECT] }, { algorithm: 'oauth2', [openid.customFetch]: through(service) } as const];
  const config = await openid.dynamicClientRegistration(new URL(ISSUER), metadata, openid.ClientSecretPost(), options);
  const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT, scope: 'data:read data:write', state, resource: RESOURCE,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  });
  const answer = await browse(service, ada, url);
  const tokens = await openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier: verifier, expectedState: state });
  t.equal(tokens.scope, 'data:read data:write');
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', { scope: 'data:read' });
  t.equal(next.scope, 'data:read');
  await openid.tokenRevocation(config, next.refresh_token ?? '');
  t.equal(await errorOf(openid.refreshTokenGrant(config, next.refresh_token ?? '')), 'invalid_grant');
});

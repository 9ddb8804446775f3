import { decodeJwt, decodeProtectedHeader } from 'jose';
import { test } from 'tap';
import { ISSUER, REDIRECT, requestOf, RESOURCE, serveOAuth } from './clients.ts';

test('a client registers, asks, is let in, refreshes and revokes', async t => {
  const service = await serveOAuth(t);
  const ada = await service.register('ada@example.org');
  const client = await service.registerClient();
  t.match(client.client_id, /^mcp_[0-9a-f]{32}$/);
  const page = await service.authorize(requestOf(client));
  t.equal(page.status, 200);
  const code = await service.codeFor(client, ada);
  t.match(code, /^[0-9a-f]{64}$/);
  const { status, body, headers } = await service.redeem(client, code);
  t.equal(status, 200);
  t.match(body, { token_type: 'Bearer', expires_in: 3600, scope: 'data:read data:write', refresh_token: /^[0-9a-f]{64}$/ });
  t.match(Object.fromEntries(headers), { 'cache-control': 'no-store', 'pragma': 'no-cache', 'access-control-allow-origin': '*' });
  t.match(decodeProtectedHeader(body.access_token), { alg: 'HS256', typ: 'at+jwt' });
  t.match(decodeJwt(body.access_token), {
    iss: ISSUER, aud: RESOURCE, sub: ada.uid, uid: ada.uid, client_id: client.client_id, scope: 'data:read data:write', purpose: 'mcp',
    aal: 'aal1', roles: ['admin'], jti: String, sid: String,
  });
  const next = await service.refresh(client, body.refresh_token);
  t.equal(next.status, 200, next.text);
  t.not(next.body.refresh_token, body.refresh_token);
  t.equal(decodeJwt(next.body.access_token)['sid'], decodeJwt(body.access_token)['sid']);
  const revoked = await service.form('/oauth/revoke', { ...client, token: next.body.refresh_token });
  t.same([revoked.status, revoked.text], [200, '']);
  const after = await service.refresh(client, next.body.refresh_token);
  t.same([after.status, after.body.error], [400, 'invalid_grant']);
});

test('a client may send its request as a form', async t => {
  const service = await serveOAuth(t);
  const request = requestOf(await service.registerClient());
  for (const path of ['/oauth/authorize', '/oauth/authorize?client_id=x']) {
    const { status, headers } = await fetch(`${service.address}/api${path}`, {
      method: 'POST', body: new URLSearchParams(request), redirect: 'manual',
    });
    const location = new URL(headers.get('location') ?? '', service.address);
    t.same([status, location.pathname, Object.fromEntries(location.searchParams)], [303, '/api/oauth/authorize', request],
      'its query counts for nothing');
  }
  t.match((await service.authorize(new URLSearchParams(request))).html, 'A client asks to use your');
  const twice = new URLSearchParams([...Object.entries(request), ['scope', 'data:read']]);
  t.equal((await service.form('/oauth/authorize', twice)).status, 400);
});

test('the answer goes back with its state and its issuer', async t => {
  const service = await serveOAuth(t);
  const ada = await service.register('ada@example.org');
  const client = await service.registerClient();
  const { status, location } = await service.decide({
    request_token: await service.ask(requestOf(client)), session_token: ada.access, decision: 'allow',
  });
  t.equal(status, 302);
  t.equal(`${location?.origin}${location?.pathname}`, REDIRECT);
  t.same([...location?.searchParams.keys() ?? []].sort(), ['code', 'iss', 'state']);
  t.match(Object.fromEntries(location?.searchParams ?? []), { iss: ISSUER, state: 'a state' });
});

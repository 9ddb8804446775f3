import { test } from 'tap';
import { REDIRECT, requestOf, serveOAuth } from './clients.ts';

let addresses = 0;
const anywhere = () => ({ 'x-forwarded-for': `203.0.113.${addresses += 1}` });

test('a registration is answered with what was registered', async t => {
  const service = await serveOAuth(t);
  const { status, body, headers } = await service.post('/oauth/register', {
    redirect_uris: [REDIRECT], client_name: '  An agent ', scope: 'mcp:write data:read data:read nonsense', software_id: 'x',
    grant_types: ['authorization_code', 'refresh_token', 'password'],
  }, null, anywhere());
  t.equal(status, 201);
  t.equal(headers.get('cache-control'), 'no-store');
  t.match(body.client_secret, /^[0-9a-f]{64}$/);
  t.ok(Math.abs(body.client_id_issued_at - Date.now() / 1000) < 60);
  t.match(body, {
    client_secret_expires_at: 0, client_name: 'An agent', redirect_uris: [REDIRECT], grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'], token_endpoint_auth_method: 'client_secret_post', scope: 'data:write data:delete data:read',
  });
  const { body: open } = await service.post('/oauth/register', {
    redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', client_name: 'x'.repeat(300), scope: 'x',
  }, null, anywhere());
  t.notOk('client_secret' in open || 'client_secret_expires_at' in open);
  t.match(open, { client_name: 'x'.repeat(200), scope: 'data:read', token_endpoint_auth_method: 'none' });
});

test('the redirects of editors that people use are taken', async t => {
  const service = await serveOAuth(t);
  const redirect_uris = [
    'http://localhost:3118/callback', 'http://127.0.0.1:33418', 'https://vscode.dev/redirect',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ];
  const client = await service.registerClient({ redirect_uris });
  for (const redirect_uri of redirect_uris) {
    const { status, html, headers } = await service.authorize({ ...requestOf(client), redirect_uri });
    t.equal(status, 200, redirect_uri);
    if (!redirect_uri.startsWith('cursor:')) continue;
    t.match(html, 'An app on this device that opens <strong>cursor:</strong> addresses');
    t.match(headers.get('content-security-policy'), /form-action 'self' cursor:(?:;|$)/);
  }
});

test('redirects and grants that no client may have are refused', async t => {
  const service = await serveOAuth(t);
  const wrong: unknown[] = [
    undefined, [], 'https://x.example', [1], ['/relative'], ['http://client.example.com/cb'], ['https://client.example.com/cb#x'],
    ['https://user:pw@client.example.com/cb'], ['https://user@client.example.com/cb'], ['javascript:alert(1)'], ['data:text/html,x'],
    ['myapp:/cb'], ['cursors:/cb'], ['cursor/cb'], ['xcursor:/cb'], ['Cursor:/cb'],
    ['file:///etc/passwd'], ['http://127.0.0.2/cb'], ['http://localhost.evil.example/'], ['https://a b.example/'],
    ['https://client.example.com/\u0000'], ['https:///cb'], ['com.example.app://u@h/'], [REDIRECT, 'http://x'],
    ['https://x.example/\r\nX: y'],
    Array.from({ length: 21 }, (_, i) => `https://x.example/${i}`), [`https://x.example/${'x'.repeat(2048)}`],
  ];
  for (const redirect_uris of wrong) {
    const { status, body } = await service.post('/oauth/register', { redirect_uris }, null, anywhere());
    t.same([status, body.error], [400, 'invalid_redirect_uri'], JSON.stringify({ redirect_uris }).slice(0, 80));
  }
  for (const grant_types of [[], ['refresh_token'], ['password'], 'authorization_code']) {
    const { status, body } = await service.post('/oauth/register', { redirect_uris: [REDIRECT], grant_types }, null, anywhere());
    t.same([status, body.error], [400, 'invalid_client_metadata'], JSON.stringify(grant_types));
  }
  for (const body of ['{', '[]', '"x"']) {
    const answer = await service.request('/oauth/register', { method: 'POST', as: null, body, headers: anywhere() });
    t.same([answer.status, answer.body.error], [400, 'invalid_client_metadata'], body);
  }
});

test('registration can be closed, and is then not in the metadata', async t => {
  const service = await serveOAuth(t, { SERVICE_MCP_OPEN_REGISTRATION: 'false' });
  const { status, body } = await service.post('/oauth/register', { redirect_uris: [REDIRECT] }, null);
  t.same([status, body.error], [403, 'access_denied']);
  const metadata = await (await fetch(`${service.address}/.well-known/oauth-authorization-server`)).json() as object;
  t.notOk('registration_endpoint' in metadata);
});

test('5000 clients may be registered, and those that no account lets in go after a day', async t => {
  const service = await serveOAuth(t);
  const ada = await service.register('ada@example.org');
  const approved = await service.registerClient();
  await service.letIn(approved, ada);
  await service.sql`
    insert into service.oauth_clients (client_id, is_registered, client_name, redirect_uris, grant_types, scope, created_at)
    select 'mcp_' || i, true, 'x', '{https://x.example}', '{authorization_code}', 'data:read', now() - interval '25 hours'
    from generate_series(1, 4999) i`;
  await service.sql`update service.oauth_clients set created_at = now() - interval '2 years' where client_id = ${approved.client_id}`;
  const full = await service.post('/oauth/register', { redirect_uris: [REDIRECT] }, null, anywhere());
  t.same([full.status, full.body.error], [400, 'invalid_client_metadata']);
  const { status } = await service.request('/cron/service.oauth-sweep/trigger', { method: 'POST' });
  t.equal(status, 200);
  t.same([...await service.sql`select client_id from service.oauth_clients`], [{ client_id: approved.client_id }]);
  t.equal((await service.post('/oauth/register', { redirect_uris: [REDIRECT] }, null, anywhere())).status, 201);
});

test('the sweep deletes what has expired, and no more', async t => {
  const service = await serveOAuth(t);
  const ada = await service.register('ada@example.org');
  const client = await service.registerClient();
  const { refresh_token } = await service.letIn(client, ada);
  await service.codeFor(client, ada);
  const sweep = async () => (await service.sql<{ swept: number }[]>`select service_private.sweep_oauth() as swept`)[0]?.swept;
  t.equal(await sweep(), 0);
  await service.sql`update service.oauth_codes set expires_at = now() - interval '61 minutes'`;
  await service.sql`update service.oauth_requests set expires_at = now() - interval '1 second'`;
  t.equal(await sweep(), 4);
  t.equal((await service.refresh(client, refresh_token)).status, 200);
  await service.sql`update service.oauth_refresh_tokens set expires_at = now() - interval '31 days'`;
  await service.sql`update service.oauth_families set expires_at = now() - interval '31 days'`;
  t.equal(await sweep(), 3);
});

test('each door has its limit', async t => {
  const service = await serveOAuth(t);
  const client = await service.registerClient();
  const at = { 'x-forwarded-for': '192.0.2.1' };
  const doors: [string, number, () => Promise<{ status: number; text: string; headers: Headers }>][] = [
    ['register', 10, () => service.post('/oauth/register', { redirect_uris: [REDIRECT] }, null, at)],
    ['authorize', 60, () => service.request('/oauth/authorize', { as: null, headers: at })],
    ['token', 120, () => service.form('/oauth/token', client, at)],
  ];
  for (const [name, most, knock] of doors) {
    for (let i = 0; i < most; i++) t.not((await knock()).status, 429, `${name} ${i}`);
    const { status, text, headers } = await knock();
    t.same([status, (JSON.parse(text) as { error: { code: string } }).error.code], [429, 'RATE_LIMITED'], name);
    t.ok(Number(headers.get('retry-after')) > 0);
  }
});

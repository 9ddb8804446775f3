import { test } from 'tap';
import { BootError } from '../../gateway/error.ts';
import { readConfig } from '../../gateway/features/config.ts';
import { lendService } from '../harness/lend.ts';
import { productionEnv } from '../http/serve.ts';
import { ISSUER, RESOURCE, serveOAuth, SETTINGS } from './clients.ts';

const DOCUMENTS = [
  '/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server',
];

test('without all that it needs nothing is mounted, and the answer names what is missing', async t => {
  const cases: [string, Record<string, string>][] = [
    ['SERVICE_MCP_ENABLED', { SERVICE_MCP_ENABLED: 'false' }], ['SERVICE_PUBLIC_URL', { SERVICE_PUBLIC_URL: '' }],
    ['SERVICE_AUTH', { SERVICE_AUTH: 'off' }],
  ];
  for (const [setting, env] of cases) {
    const service = await lendService(t, { template: 'served', env: { ...SETTINGS, ...env } });
    for (const [method, path] of [['POST', '/oauth/token'], ['GET', '/oauth/authorize'], ['GET', '/oauth/grants']] as const) {
      const { status, body } = await service.request(path, { method, as: null });
      t.same([status, body.error.code, body.error.details], [501, 'FEATURE_DISABLED', { feature: 'mcp', setting }], `${setting}: ${path}`);
    }
    t.equal((await fetch(`${service.address}/mcp`, { method: 'POST' })).status, 501);
    for (const path of DOCUMENTS) t.equal((await fetch(service.address + path)).status, 404, path);
  }
});

test('the documents say where everything is', async t => {
  const service = await serveOAuth(t, { SERVICE_PUBLIC_URL: 'https://API.example.com:443/some/path', SERVICE_BASE_PATH: '/v2' });
  const [resource, suffixed, server] = await Promise.all(DOCUMENTS.map(async path => {
    const response = await fetch(service.address + path, { headers: { origin: 'https://any.example' } });
    t.equal(response.headers.get('access-control-allow-origin'), '*');
    return await response.json() as Record<string, unknown>;
  }));
  t.same(resource, suffixed);
  t.match(resource, { resource: RESOURCE, authorization_servers: [ISSUER], bearer_methods_supported: ['header'] });
  t.same(resource?.['scopes_supported'], ['data:read', 'data:write', 'data:delete']);
  t.match(server, {
    issuer: ISSUER, authorization_endpoint: `${ISSUER}/v2/oauth/authorize`, token_endpoint: `${ISSUER}/v2/oauth/token`,
    registration_endpoint: `${ISSUER}/v2/oauth/register`, revocation_endpoint: `${ISSUER}/v2/oauth/revoke`,
    code_challenge_methods_supported: ['S256'], authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  t.equal((await fetch(`${service.address}/.well-known/openid-configuration`)).status, 404);
});

test('pages of any origin may call what clients call, and none may call what people call', async t => {
  const service = await serveOAuth(t, { CORS_ORIGINS: 'https://app.example.com' });
  const calls: [string, string, string | null][] = [
    ['POST', '/api/oauth/register', '*'], ['POST', '/api/oauth/token', '*'], ['POST', '/api/oauth/revoke', '*'],
    ['GET', '/.well-known/oauth-authorization-server', '*'], ['GET', '/api/oauth/authorize', null], ['GET', '/api/oauth/grants', null],
    ['POST', '/api/oauth/authorize/decision', null], ['GET', '/api/auth/config', null],
  ];
  for (const [method, path, expected] of calls) {
    for (const origin of ['https://any.example', 'https://app.example.com', 'null']) {
      const own = expected ?? (origin === 'https://app.example.com' ? origin : null);
      const name = `${method} ${path} from ${origin}`;
      const { headers } = await fetch(service.address + path, { method, headers: { origin } });
      t.equal(headers.get('access-control-allow-origin'), own, name); // two of them would be joined by a comma
      t.equal(headers.get('access-control-allow-credentials'), expected === null && own !== null ? 'true' : null, name);
      const preflight = await fetch(service.address + path, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
      });
      t.equal(preflight.status, 204);
      t.equal(preflight.headers.get('access-control-allow-origin'), own, `before ${name}`);
      t.equal(preflight.headers.get('access-control-allow-headers'), own === null ? null : 'content-type', `before ${name}`);
    }
  }
  const { headers } = await fetch(`${service.address}/.well-known/oauth-authorization-server`);
  t.match(headers.get('access-control-expose-headers'), /\bWWW-Authenticate\b/);
});

test('errors have OAuth\'s form, and bodies of another type are refused', async t => {
  const service = await serveOAuth(t);
  const client = await service.registerClient();
  const json = await service.post('/oauth/token', { grant_type: 'refresh_token', ...client, refresh_token: 'x' }, null);
  t.same([json.status, json.body.error], [400, 'invalid_request']);
  const cases: [Record<string, string>, string][] = [
    [{ ...client }, 'invalid_request'], [{ ...client, grant_type: 'password' }, 'unsupported_grant_type'],
    [{ ...client, grant_type: 'authorization_code' }, 'invalid_request'], [{ ...client, grant_type: 'refresh_token' }, 'invalid_request'],
    [{ ...client, grant_type: 'refresh_token', refresh_token: 'x\0' }, 'invalid_request'],
  ];
  for (const [form, error] of cases) {
    const { status, body, headers } = await service.form('/oauth/token', form);
    t.same([status, body.error, typeof body.error_description], [400, error, 'string'], JSON.stringify(form));
    t.equal(headers.get('cache-control'), 'no-store');
  }
  const large = await service.form('/oauth/token', { ...client, grant_type: 'x'.repeat(70_000) });
  t.same([large.status, large.body.error.code], [413, 'PAYLOAD_TOO_LARGE']);
});

test('revocation is silent but for a wrong secret', async t => {
  const service = await serveOAuth(t);
  const client = await service.registerClient({ token_endpoint_auth_method: 'client_secret_post' });
  for (const form of [{ ...client, token: 'x' }, { client_id: 'mcp_unknown', token: 'x' }, { token: 'x' }, { ...client }]) {
    const { status, text } = await service.form('/oauth/revoke', form);
    t.same([status, text], [200, ''], JSON.stringify(form));
  }
  const wrong = await service.form('/oauth/revoke', { ...client, client_secret: 'x', token: 'x' });
  t.same([wrong.status, wrong.body.error], [401, 'invalid_client']);
});

test('production wants a public address that is safe, and no start takes a malformed one', t => {
  const env = { ...productionEnv, SERVICE_MCP_ENABLED: 'true' };
  t.throws(() => readConfig({ ...env, SERVICE_PUBLIC_URL: 'http://api.example.com' }), BootError);
  t.throws(() => readConfig({ ...env, SERVICE_PUBLIC_URL: 'api.example.com' }), BootError);
  t.throws(() => readConfig({ ...env, SERVICE_PUBLIC_URL: ISSUER, SERVICE_MCP_CLIENT_HOSTS: 'https://x' }), BootError);
  for (const url of [ISSUER, 'http://localhost:3000', 'http://127.0.0.1']) t.ok(readConfig({ ...env, SERVICE_PUBLIC_URL: url }));
  t.end();
});

import { test, type Test } from 'tap';
import type { Environment } from '../../gateway/features/config.ts';
import type { Route } from '../../gateway/http/route.ts';
import { errorOf, get, productionEnv, serve } from './serve.ts';

const routes: Route[] = [
  get('/data/:slug', () => ({ body: '[]' })),
  get('/metrics', () => ({ body: 'up 1', type: 'text/plain' }), { root: true }),
  { method: 'POST', path: '/auth/login', handle: () => ({ body: '"login"' }) },
];
type Row = [method: string, path: string, status: number, code: string, details?: object];

const unbuilt: Row[] = [
  ['GET', '/api/admin/users', 501, 'NOT_IMPLEMENTED', { feature: 'admin' }],
  ['GET', '/api/admin/schema/status', 501, 'NOT_IMPLEMENTED'],
  ['GET', '/api/schema-editor/status', 501, 'NOT_IMPLEMENTED'],
];
const disabled: Row[] = [
  ['GET', '/metrics', 501, 'FEATURE_DISABLED', { feature: 'metrics', setting: 'SERVICE_METRICS' }],
  ['GET', '/metrics/history', 501, 'FEATURE_DISABLED'],
  ['POST', '/mcp', 501, 'FEATURE_DISABLED', { feature: 'mcp', setting: 'SERVICE_MCP_ENABLED' }],
  ['GET', '/mcp', 501, 'FEATURE_DISABLED'],
  ['POST', '/api/oauth/token', 501, 'FEATURE_DISABLED'],
  ['GET', '/.well-known/oauth-authorization-server', 404, 'NOT_FOUND'],
  ['GET', '/.well-known/oauth-protected-resource', 404, 'NOT_FOUND'],
  ['GET', '/.well-known/oauth-protected-resource/mcp', 404, 'NOT_FOUND'],
];

async function check(t: Test, rows: Row[], env: Environment = {}): Promise<void> {
  const { url } = await serve(t, routes, { env });
  for (const [method, path, status, code, details] of rows) {
    const response = await fetch(url + path, { method });
    t.equal(response.status, status, `${method} ${path}`);
    const error = await errorOf(response);
    t.equal(error.code, code, `${method} ${path}`);
    if (details) t.same(error.details, details, `${method} ${path}`);
  }
}

test('unbuilt features say so', t => check(t, unbuilt));
test('switched-off features name their switch', t => check(t, disabled));

test('of several settings that a feature needs, the first that lacks is named', async t => {
  await check(t, [
    ['POST', '/mcp', 501, 'FEATURE_DISABLED', { feature: 'mcp', setting: 'SERVICE_PUBLIC_URL' }],
    ['GET', '/.well-known/oauth-authorization-server', 404, 'NOT_FOUND'],
  ], { SERVICE_MCP_ENABLED: 'true', SERVICE_AUTH: 'off' });
  await check(t, [['POST', '/mcp', 501, 'FEATURE_DISABLED', { feature: 'mcp', setting: 'SERVICE_AUTH' }]],
    { SERVICE_MCP_ENABLED: 'true', SERVICE_PUBLIC_URL: 'https://api.example.com', SERVICE_AUTH: 'off' });
});

test('SERVICE_AUTH=off has no account routes, no admin surface and no contract', t => check(t, [
  ['POST', '/api/auth/login', 404, 'NOT_FOUND'],
  ['GET', '/api/auth/me', 404, 'NOT_FOUND'],
  ['GET', '/api/admin/users', 501, 'ADMIN_SURFACE_UNAVAILABLE'],
  ['PUT', '/api/cron/1', 501, 'ADMIN_SURFACE_UNAVAILABLE'],
  ['GET', '/api/meta/contract', 404, 'CONTRACT_UNAVAILABLE'],
], { SERVICE_AUTH: 'off' }));

test('the explorer is off in production', t => check(t, [
  ['GET', '/api/swagger', 501, 'FEATURE_DISABLED', { feature: 'swagger', setting: 'SERVICE_ENABLE_SWAGGER' }],
], productionEnv));

test('a built route answers while its feature is on, and only then', async t => {
  const on = await serve(t, routes, { env: { SERVICE_METRICS: 'true' } });
  t.equal(await (await fetch(`${on.url}/metrics`)).text(), 'up 1');
  t.equal((await fetch(`${on.url}/api/auth/login`, { method: 'POST' })).status, 200);
  t.equal((await fetch(`${on.url}/api/data/x`)).status, 200);
});

test('the paths move with the base path', async t => {
  const { url } = await serve(t, routes, { env: { SERVICE_BASE_PATH: '/v2' } });
  t.equal((await fetch(`${url}/v2/admin/list`)).status, 501);
  t.equal((await fetch(`${url}/api/admin/list`)).status, 404);
});

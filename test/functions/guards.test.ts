import { join } from 'node:path';
import { test, type Test } from 'tap';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { projectFolder, serveFunctions, type Served } from './serve.ts';

const GUARDED = `
import { Hono } from 'hono';
import * as rowgate from 'rowgate/functions';
const { defineFunction, requireAuth, requireAdmin, requireRole, requireScope, requireAal2 } = rowgate;
const inner = new Hono().get('/', requireAuth, c => c.text('inside'));
inner.onError((_error, c) => c.text('swallowed', 200));
export default defineFunction(app => {
  app.get('/open', c => c.text('ok'));
  app.get('/auth', requireAuth, c => c.text('ok'));
  app.get('/admin', requireAdmin, c => c.text('ok'));
  app.get('/role', requireRole('editor', 'chief'), c => c.text('ok'));
  app.get('/scope', requireScope('reports:read'), c => c.text('ok'));
  app.get('/target', requireScope('data:read', 'products'), c => c.text('ok'));
  app.get('/aal2', requireAal2, c => c.text('ok'));
  app.get('/fresh', () => inner.fetch(new Request('http://x/')));
  app.get('/passed', c => inner.fetch(new Request('http://x/', c.req.raw), c.env));
  app.get('/driver', async c => { const other = new Hono().get('/',
    async c => c.json(await rowgate.requireDriver(c).collection('products').count()));
    return other.request('/'); });
  app.get('/me', c => c.json({ user: rowgate.getUser(c) ?? null, uid: rowgate.getUserId(c) ?? null, roles: rowgate.getRoles(c),
    scopes: rowgate.getScopes(c),
    admin: rowgate.isAdmin(c), reads: rowgate.hasScope(c, 'data:read', 'products'), id: rowgate.getRequestId(c),
      aborted: rowgate.getSignal(c).aborted }));
});`;

const settings = JSON.stringify({ auth: { scopes: { 'reports:read': { label: 'Reports' } }, roles: { editor: {} } } });
const GUARDS = ['open', 'auth', 'admin', 'role', 'scope', 'target', 'aal2'];
const OK = '200';
const [NONE, NOT, LACKS, ONE] = ['401 UNAUTHORIZED', '403 FORBIDDEN', '403 SCOPE_MISSING', '403 AAL2_REQUIRED'];

async function serve(t: Test, env: Record<string, string> = {}): Promise<Served> {
  const { folder } = projectFolder(t, { 'rowgate.json': settings });
  return serveFunctions(t, { 'guarded.ts': GUARDED }, { SERVICE_CONFIG_FILE: join(folder, 'rowgate.json'), ...env });
}

async function outcomes({ request }: Served, as: string | null): Promise<string[]> {
  const answers = await Promise.all(GUARDS.map(guard => request(`/functions/guarded/${guard}`, { as })));
  return answers.map(({ status, body }) => body === undefined ? String(status) : `${status} ${body.error.code}`);
}

test('every guard for every kind of caller', async t => {
  const served = await serve(t);
  const key = async (scopes: string[], roles: string[] = []) => {
    const body = JSON.stringify({ name: scopes.join(), scopes, roles });
    return (await served.request('/admin/api-keys', { method: 'POST', body })).body.key.key as string;
  };
  const table: [who: string, as: string | null, outcomes: string[]][] = [
    ['visitor', null, [OK, NONE, NONE, NONE, NONE, NONE, NONE]],
    ['guest', await tokenFor('guest', [], { isAnonymous: true }), [OK, OK, NOT, NOT, OK, OK, ONE]],
    ['person', await tokenFor('ada'), [OK, OK, NOT, NOT, OK, OK, ONE]],
    ['editor', await tokenFor('eve', ['editor']), [OK, OK, NOT, OK, OK, OK, ONE]],
    ['admin', await tokenFor('root', ['admin']), [OK, OK, OK, NOT, OK, OK, ONE]],
    ['key with scopes', await key(['functions:invoke', 'data:read:products'], ['editor']), [OK, OK, NOT, OK, LACKS, OK, ONE]],
    ['key of every target', await key(['functions:invoke', 'data:read', 'reports:read']), [OK, OK, NOT, NOT, OK, OK, ONE]],
    ['key with the role admin', await key(['functions:invoke'], ['admin']), [OK, OK, NOT, NOT, LACKS, LACKS, ONE]],
    ['key without the scope', await key(['data:read']), Array<string>(7).fill('403 API_KEY_FORBIDDEN')],
    ['service key', SERVICE_KEY, [OK, OK, OK, NOT, OK, OK, ONE]],
    ['bad credential', 'no-token', Array<string>(7).fill(NONE)],
  ];
  for (const [who, as, expected] of table) t.same(await outcomes(served, as), expected, who);
  t.match((await served.request('/functions/guarded/scope', { as: await key(['functions:invoke']) })).body.error,
    { code: 'SCOPE_MISSING', details: { requiredScope: 'reports:read' }, requestId: /^[0-9a-f-]{36}$/ });
  t.equal((await served.request('/functions/guarded/auth', { as: null })).headers.get('www-authenticate'), 'Bearer');
});

test('a session with two factors passes requireAal2', async t => {
  const served = await serve(t, { SERVICE_AUTH: 'off' });
  const session = (aal: string) => tokenFor('ada', [], { sid: '00000000-0000-4000-8000-000000000000', aal });
  t.same((await outcomes(served, await session('aal2'))).at(-1), OK);
  t.same((await outcomes(served, await session('aal1'))).at(-1), ONE);
});

test('a guard and a driver refuse in an app that was given a request of its own, and no error handler changes that', async t => {
  const { request } = await serve(t);
  t.match(await request('/functions/guarded/fresh'), { status: 500, body: { error: { code: 'AUTH_MIDDLEWARE_MISSING' } } });
  t.match(await request('/functions/guarded/passed'), { status: 200, text: 'inside' });
  t.equal((await request('/functions/guarded/driver')).status, 500);
});

test('readers tell who calls', async t => {
  const { request } = await serve(t);
  const me = async (as: string | null) => (await request('/functions/guarded/me', { as })).body;
  t.match(await me(null), { user: null, uid: null, roles: [], scopes: [], admin: false, reads: false, id: /^[0-9a-f-]{36}$/,
    aborted: false });
  t.match(await me(await tokenFor('ada', ['editor'], { plan: 'gold' })),
    { user: { uid: 'ada', roles: ['editor'], plan: 'gold' }, uid: 'ada', roles: ['editor'], admin: false, reads: true });
  t.match(await me(SERVICE_KEY), { user: { uid: 'service', roles: ['admin'] }, admin: true, reads: true });
});

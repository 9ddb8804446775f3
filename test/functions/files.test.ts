import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { until } from '../harness/until.ts';
import { serveFunctions } from './serve.ts';

const HELLO = `
import { defineFunction } from 'rowgate/functions';
export default defineFunction(app => {
  app.get('/', c => c.text('hello'));
  app.all('/echo/*', async c => c.json({
    method: c.req.method, path: c.req.path, query: c.req.query(), header: c.req.header('x-mine'), id: c.req.header('x-request-id'),
    connection: c.req.header('connection') ?? null, body: await c.req.text(),
  }));
});`;

test('functions are served by the names of their files', async t => {
  const { request } = await serveFunctions(t, {
    'hello.ts': HELLO,
    'app.js': `import { Hono } from 'hono'; const app = new Hono(); app.get('/x', c => c.json({ x: 1 }, 201)); export default app;`,
    'factory.ts': `import { Hono } from 'hono'; export default () => new Hono().get('/', c => c.body(null, 204));`,
    'typed.ts': `import { Hono, type Context } from 'hono'; type T = { a: number };
      const app = new Hono(); app.get('/', (c: Context) => c.json({ a: 1 } satisfies T)); export default app as Hono;`,
  });
  const hello = await request('/functions/hello', { as: null });
  t.match([hello.status, hello.text, hello.headers.get('content-type'), hello.headers.get('content-length')],
    [200, 'hello', /^text\/plain;/, '5']);
  t.equal((await request('/functions/hello/', { as: null })).text, 'hello');
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
    const body = method === 'GET' || method === 'OPTIONS' ? undefined : '{"a": 1}';
    const answer = await request('/functions/hello/echo/a%20b?x=1&y=%C3%A9', {
      as: null, method, headers: { 'x-mine': 'mine' }, ...(body !== undefined && { body }),
    });
    t.match(answer.body, { method, path: '/echo/a b', query: { x: '1', y: 'é' }, header: 'mine', connection: null, body: body ?? '' });
    t.equal(answer.body.id, answer.headers.get('x-request-id'));
  }
  t.match(await request('/functions/app/x'), { status: 201, body: { x: 1 } });
  t.match(await request('/functions/factory'), { status: 204, text: '' });
  t.match(await request('/functions/typed'), { status: 200, body: { a: 1 } });
});

test('a function that is not there is FUNCTION_NOT_FOUND, and callers who are known are told which there are', async t => {
  const { request, log } = await serveFunctions(t, { 'hello.ts': HELLO, 'broken.ts': 'export default {' });
  const known = { functions: ['best_sellers', 'hello'], skipped: 1 };
  const none: [path: string, name: string][] = [['/functions', ''], ['/functions/none', 'none'], ['/functions/Hello', 'Hello'],
    ['/functions/__proto__', '__proto__'],
    ['/functions/a%2Fb', 'a/b'], ['/functions/hello/none', 'hello'], ['/functions/hello.ts', 'hello.ts']];
  for (const [path, name] of none) {
    t.match(await request(path), { status: 404, body: { error: { code: 'FUNCTION_NOT_FOUND', details: { function: name, ...known } } } });
    const visitor = await request(path, { as: null });
    t.same(visitor.body.error.details, { function: name }, path);
  }
  t.match(await request('/functions/hello', { method: 'DELETE' }), { status: 404, body: { error: { code: 'FUNCTION_NOT_FOUND' } } });
  const broken = await request('/functions/broken', { as: null });
  t.match(broken, { status: 404, body: { error: { code: 'FUNCTION_NOT_FOUND', message: /broken\.ts/, details: { function: 'broken' } } } });
  t.ok(log.some(({ level, msg }) => level === 'warn' && /\/broken\.ts is not served: SyntaxError: .*\(.*broken\.ts:1\)/.test(msg)));
});

test('a file goes before an SQL function of its name, which is named in the log', async t => {
  const { request, log } = await serveFunctions(t, { 'best_sellers.ts': HELLO });
  const file = await request('/functions/best_sellers');
  t.equal(file.status, 200);
  t.notOk(Array.isArray(file.body?.data), 'the answer of the file');
  t.ok(log.some(({ msg }) => msg === 'function best_sellers is not served: there is a file of its name'));
  const { body: { error: { details } } } = await request('/functions/none');
  t.same(details, { function: 'none', functions: ['best_sellers'], skipped: 1 });
});

test('console lines and uncaught errors go to the log, with function and request', async t => {
  const { request, log } = await serveFunctions(t, { 'noisy.ts': `
    import { defineFunction, ApiError } from 'rowgate/functions';
    import { HTTPException } from 'hono/http-exception';
    export default defineFunction(app => {
      app.get('/', c => { console.warn('careful', { a: 1 }); process.stdout.write('raw\\n'); return c.text('ok'); });
      app.get('/throws', () => { throw new Error('a secret reason'); });
      app.get('/api', () => { throw new ApiError(409, 'CONFLICT', 'It is taken.', { a: 1 }); });
      app.get('/http', () => { throw new HTTPException(418, { message: 'teapot' }); });
    });` });
  const answer = await request('/functions/noisy');
  const id = answer.headers.get('x-request-id');
  await until('lines', () => Promise.resolve(log.some(({ msg }) => msg === 'raw')));
  t.match(log.find(({ msg }) => msg.startsWith('careful')), { level: 'warn', function: 'noisy', requestId: id, msg: 'careful { a: 1 }' });
  const failed = await request('/functions/noisy/throws');
  t.match(failed, { status: 500, body: { error: { code: 'INTERNAL_ERROR' } } });
  t.notMatch(failed.text, /secret/);
  t.ok(log.some(({ err }) => err?.message === 'a secret reason'));
  t.match(await request('/functions/noisy/api'), { status: 409, body: { error: { code: 'CONFLICT', message: 'It is taken.', details: {
    a: 1 } } } });
  t.match(await request('/functions/noisy/http'), { status: 418, text: 'teapot' });
});

test('a file that vanishes is served until its worker is replaced, and takes no other along', async t => {
  const { request, folder } = await serveFunctions(t, {
    'gone.ts': HELLO,
    'stays.js': `import { Hono } from 'hono';
      export default new Hono().get('/', c => c.text('stays')).get('/exit', () => process.exit(1));`,
  });
  rmSync(join(folder, 'gone.ts'));
  t.match(await request('/functions/gone'), { status: 200, text: 'hello' });
  t.equal((await request('/functions/stays/exit')).status, 503);
  await until('a worker without the file', async () => (await request('/functions/gone')).status === 404);
  t.match(await request('/functions/gone'), { body: { error: { code: 'FUNCTION_NOT_FOUND', message: /gone\.ts could not be loaded/ } } });
  t.match(await request('/functions/stays'), { status: 200, text: 'stays' });
});

test('five hundred files are served', async t => {
  const names = Array.from({ length: 500 }, (_, n) => `f${n}`);
  const { request } = await serveFunctions(t, Object.fromEntries(names.map(name =>
    [`${name}.js`, `import { Hono } from 'hono'; export default new Hono().get('/', c => c.text('${name}'));`])));
  for (const name of names) t.match(await request(`/functions/${name}`), { status: 200, text: name });
  t.equal((await request('/functions')).body.error.details.functions.length, names.length + 1, 'and one of SQL');
});

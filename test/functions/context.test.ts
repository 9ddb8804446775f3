import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { serveFunctions } from './serve.ts';

const CLIENT = `
import { defineFunction, requireDriver, waitUntil, env, getEnv, requireEnv, lazyResource } from 'rowgate/functions';
let made = 0;
const resource = lazyResource(async () => { made += 1; if (made === 1) throw new Error('not yet'); return made; });
const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
export default defineFunction((app, { rowgate }) => {
  app.get('/mine', async c => c.json(await requireDriver(c).collection('products').find({ limit: 2, fields: 'id,published',
    orderBy: 'id' })));
  app.get('/count', async c => c.json([await requireDriver(c).collection('products').count(),
    await rowgate.dataAsAdmin.collection('products').count(), await rowgate.dataAsAdmin.collection('products').count({
      published: 'true' })]));
  app.post('/tags', async c => {
    const tags = rowgate.dataAsAdmin.collection('tags');
    const tag = await tags.create({ name: 'made by a function' });
    const changed = await tags.update(tag.id, { name: 'changed' });
    const found = await tags.findById(tag.id);
    await tags.delete(tag.id);
    const gone = await tags.findById(tag.id).catch(error => [error.name, error.status, error.code]);
    return c.json({ tag, changed, found, gone });
  });
  app.get('/refused', async c => { await requireDriver(c).collection('tags').create({ name: 'x' }); return c.text('x'); });
  app.get('/none', async c => c.json(await rowgate.dataAsAdmin.collection('nothing').find()));
  app.get('/sql', async c => c.json(await rowgate.sql('select $1::int + 1 as n, current_user = session_user as own, $2::text as t', {
    params: [41, "a'b"] })));
  app.get('/bad-sql', async c => c.json(await rowgate.sql('select nothing').catch(error => [error.status, error.code, error.message,
    error.details.dbCode])));
  app.get('/bad-sql-uncaught', async c => c.json(await rowgate.sql('select nothing')));
  app.get('/enqueue', async c => c.json([await rowgate.jobs.enqueue('mine', { a: 1 }, { idempotencyKey: 'k' }),
    await rowgate.jobs.enqueue('mine', { a: 1 }, { idempotencyKey: 'k' })]));
  app.get('/bad-enqueue', async () => { await rowgate.jobs.enqueue('mine', null, { odd: 1 } as never); return new Response('x'); });
  app.get('/mail', async c => c.json(await rowgate.email.send({ to: 'ada@example.org', subject: 'Hello', html: '<p>Hi</p>' })));
  app.get('/later', c => {
    waitUntil((async () => { await sleep(100); console.log('later ' + (await requireDriver(c).collection('products').find({
      limit: 1 })).data.length); })());
    waitUntil(Promise.reject(new Error('failed later')));
    return c.text('at once');
  });
  app.get('/env', c => c.json({ blank: env('BLANK') ?? null, mine: env('MINE'), names: Object.keys(getEnv()) }));
  app.get('/require', c => c.text(requireEnv('MISSING')));
  app.get('/lazy', async c => { const first = await resource().catch(() => 'failed'); return c.json([first, await resource(),
    await resource()]); });
});`;

test('a function reads and writes as its caller, and as the service', async t => {
  const { request } = await serveFunctions(t, { 'client.ts': CLIENT });
  const ada = await tokenFor('ada');
  const all = await request('/data/products?limit=2&fields=id,published&orderBy=id', { as: ada });
  t.same((await request('/functions/client/mine', { as: ada })).body, all.body, 'the same as the route');
  const counted = async (path: string, as?: string) => (await request(`/data/products/count${path}`, as === undefined ? {} : {
    as })).body.count;
  t.same((await request('/functions/client/count', { as: ada })).body, [await counted('', ada), await counted(''),
    await counted('?published=true')]);
  t.match((await request('/functions/client/tags', { method: 'POST' })).body, {
    tag: { name: 'made by a function' }, changed: { name: 'changed' }, found: { name: 'changed' }, gone: ['ApiError', 404, 'NOT_FOUND'],
  });
  const refused = await request('/data/tags', { method: 'POST', as: ada, body: '{"name":"x"}' });
  const { status, body } = await request('/functions/client/refused', { as: ada });
  t.same([status, body.error.code], [refused.status, refused.body.error.code]);
  t.match(await request('/functions/client/none'), { status: 404 });
  t.match(await request('/functions/client/mine', { as: null }), { status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
});

test('a key reaches by its function no more than its scopes', async t => {
  const { request } = await serveFunctions(t, { 'client.ts': CLIENT });
  const { body } = await request('/admin/api-keys', { method: 'POST',
    body: '{"name":"k","scopes":["functions:invoke"],"roles":["admin"]}' });
  t.match(await request('/functions/client/mine', { as: body.key.key }), { status: 403, body: { error: { code: 'API_KEY_FORBIDDEN' } } });
});

test('SQL runs as the owner, jobs are enqueued, mail is sent', async t => {
  const { request, mailbox } = await serveFunctions(t, { 'client.ts': CLIENT });
  t.same((await request('/functions/client/sql')).body, [{ n: 42, own: true, t: "a'b" }]);
  t.match((await request('/functions/client/bad-sql')).body, [500, /./, /nothing/, '42703']);
  const uncaught = await request('/functions/client/bad-sql-uncaught');
  t.equal(uncaught.status, 500);
  t.notMatch(uncaught.body.error.message, /nothing/);
  t.match((await request('/functions/client/enqueue')).body, [/./, null]);
  t.match(await request('/functions/client/bad-enqueue'), { status: 400, body: { error: { code: 'INVALID_INPUT' } } });
  t.match((await request('/functions/client/mail')).body, { accepted: ['ada@example.org'] });
  t.ok(mailbox !== undefined);
});

test('without mail, sending it is NOT_CONFIGURED', async t => {
  const { request } = await serveFunctions(t, { 'client.ts': CLIENT }, { NODE_ENV: 'production', CORS_ORIGINS: 'https://x.example',
    STORAGE_ALLOW_ANY_AUTHENTICATED: 'true' });
  t.match(await request('/functions/client/mail'), { status: 503, body: { error: { code: 'NOT_CONFIGURED', details: {
    setting: 'SMTP_HOST' } } } });
});

test('what waitUntil() is given goes on after the answer, and a failure is logged', async t => {
  const { request, log, close } = await serveFunctions(t, { 'client.ts': CLIENT });
  t.equal((await request('/functions/client/later')).text, 'at once');
  await until('failure', () => Promise.resolve(log.some(({ level, msg }) => level === 'error' && msg.includes('failed later'))));
  await close();
  t.ok(log.some(({ msg, function: name }) => msg === 'later 1' && name === 'client'), 'a shutdown waits for it');
});

test('the environment lacks secrets, and variables are read trimmed', async t => {
  Object.assign(process.env, { MINE: ' mine ', BLANK: ' ', JWT_SECRET: 'a secret of the service 0123456789',
    S3_SECRET_ACCESS_KEY__MEDIA: 'x', ORDERS_SECRET: 'x' });
  t.teardown(() => { for (const name of ['MINE', 'BLANK', 'JWT_SECRET', 'S3_SECRET_ACCESS_KEY__MEDIA',
    'ORDERS_SECRET']) Reflect.deleteProperty(process.env, name); });
  const { request } = await serveFunctions(t, { 'client.ts': CLIENT });
  const { blank, mine, names } = (await request('/functions/client/env')).body;
  t.same([blank, mine], [null, 'mine']);
  t.ok(names.includes('PATH'));
  t.notOk(names.some((name: string) => ['JWT_SECRET', 'DATABASE_URL', 'S3_SECRET_ACCESS_KEY__MEDIA'].includes(name)), names.join());
  t.equal((await request('/functions/client/require')).status, 500);
  t.same((await request('/functions/client/lazy')).body, ['failed', 2, 2]);
});

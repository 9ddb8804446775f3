import { readdirSync } from 'node:fs';
import { test } from 'tap';
import { childrenOf } from '../harness/children.ts';
import { runs } from '../harness/effort.ts';
import { until } from '../harness/until.ts';
import { serveFunctions, type Served } from './serve.ts';

const BAD = `
import { Hono } from 'hono';
const app = new Hono();
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
app.get('/hello', c => c.text('hello'));
app.get('/sleep', async c => { await sleep(400); return c.text('slept'); });
app.get('/loop', () => { for (;;); });
app.get('/later-loop', async () => { await sleep(10); for (;;); });
app.get('/heap', () => { const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length)); });
app.get('/buffers', async () => { const kept = []; for (;;) { kept.push(Buffer.alloc(8_000_000, 1)); await sleep(1); } });
app.get('/exit', () => process.exit(0));
app.get('/abort', () => process.abort());
app.get('/kill', () => { process.kill(process.pid, 'SIGKILL'); return sleep(1000); });
app.get('/timer', async c => { setTimeout(() => { throw new Error('in a timer'); }, 5); await sleep(1000); return c.text('x'); });
app.get('/deep', c => { const deep = n => 1 + deep(n + 1); return c.text(String(deep(0))); });
app.get('/rejection', c => { void Promise.reject(new Error('nobody waits')); return c.text('fine'); });
app.get('/flood', async c => { for (let n = 0; n < 20_000; n++) console.log('line ' + n + 'x'.repeat(100)); return c.text('flooded'); });
app.get('/raw-flood', async c => { const { writeSync } = await import('node:fs');
  for (let n = 0; n < 30; n++) try { writeSync(1, 'raw'.repeat(1000) + '\\n'); } catch {} return c.text('flooded'); });
app.get('/stop-during-answer', () => { let n = 0; return new Response(new ReadableStream({ async pull(controller) {
  await sleep(20); if (n++ > 3) process.exit(1); controller.enqueue(new TextEncoder().encode('piece')); } })); });
export default app;`;

/** The status of the call, and whether its worker ends. */
const TABLE: [path: string, status: number | 'broken', ends: boolean][] = [
  ['loop', 504, true], ['later-loop', 504, true], ['heap', 503, true], ['buffers', 503, true], ['exit', 503, true], ['abort', 503, true],
  ['kill', 503, true], ['timer', 503, true], ['deep', 500, false], ['rejection', 200, false], ['flood', 200, false], ['raw-flood', 200,
    false],
  ['stop-during-answer', 'broken', true],
];

/** Gets of data that go on until it is told. */
function gets({ request }: Pick<Served, 'request'>) {
  const going = { on: true };
  const statuses: number[] = [];
  const asking = (async () => { while (going.on) statuses.push((await request('/data/products?limit=1')).status); })();
  return async () => {
    going.on = false;
    await asking;
    return statuses;
  };
}

for (const [path, status, ends] of TABLE) {
  test(`${path}: data is served on, and so are functions`, async t => {
    const served = await serveFunctions(t, { 'bad.js': BAD }, { SERVICE_FUNCTIONS_TIMEOUT_MS: '3000' });
    const { request, log } = served;
    const stop = gets(served);
    const others = Array.from({ length: 10 }, () => request('/functions/bad/sleep'));
    const bad = await request(`/functions/bad/${path}`).then(({ status }) => status, () => 'broken' as const);
    t.equal(bad, status);
    for (const other of await Promise.all(others)) t.ok(other.status === 200 || other.status === 503, `another call is ${other.status}`);
    if (ends) await until('replaced', () => Promise.resolve(log.some(({
      msg }) => /^A worker of functions .*Another one takes its place/.test(msg))));
    t.match(await request('/functions/bad/hello'), { status: 200, text: 'hello' });
    const statuses = await stop();
    t.same(new Set(statuses), new Set([200]), `${statuses.length} gets`);
    t.ok(log.length < 1500 + statuses.length + 20, `${log.length} lines`);
  });
}

test('a call that sleeps past its time is 504, and its worker goes on', async t => {
  const { request, log } = await serveFunctions(t, { 'bad.js': BAD }, { SERVICE_FUNCTIONS_TIMEOUT_MS: '150' });
  const answers = await Promise.all(Array.from({ length: 200 }, () => request('/functions/bad/sleep')));
  t.same(new Set(answers.map(({ status, body }) => `${status} ${body?.error.code}`)), new Set(['504 FUNCTION_TIMEOUT']));
  await until('it answers in time', async () => (await request('/functions/bad/hello')).status === 200);
  t.notOk(log.some(({ msg }) => msg.includes('Another one takes its place')));
});

test('a worker that ends again and again leaves nothing over', { timeout: 0 }, async t => {
  const { request } = await serveFunctions(t, { 'bad.js': BAD });
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const workers = () => childrenOf(process, 'files/worker').length;
  const served = () => until('functions answer again', async () => (await request('/functions/bad/hello')).status === 200);
  await until('every worker serves', async () => workers() === 2 && (await request('/functions/bad/hello')).status === 200);
  const before = descriptors();
  const restarts = runs(200);
  for (let n = 0; n < restarts; n++) {
    t.equal((await request(`/functions/bad/${n % 2 === 0 ? 'exit' : 'kill'}`)).status, 503);
    await served();
  }
  await until('no process is left', () => workers() === 2);
  // Each worker has several; connections to the database may have been opened, or closed, meanwhile.
  t.ok(await until('no file or pipe is left', () => descriptors() < before + restarts / 4));
});

test('a thousand calls at once on a sleeping handler are answered', async t => {
  const { request } = await serveFunctions(t, { 'bad.js': BAD });
  const answers = await Promise.all(Array.from({ length: 1000 }, () => request('/functions/bad/sleep')));
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
});

test('files that cannot be loaded are told, with the reason, and the others are served', async t => {
  const { request, log } = await serveFunctions(t, {
    'good.js': `import { Hono } from 'hono'; export default new Hono().get('/', c => c.text('good'));`,
    'enum.ts': `enum A { B } export default A;`,
    'none.ts': 'export const a = 1;',
    'throws.ts': 'throw new Error("not today");',
    'factory-throws.ts': 'export default () => { throw new Error("not made"); };',
    'promise.ts': `import { Hono } from 'hono'; export default Promise.resolve(new Hono());`,
    'wrong.ts': 'export default { fetch: 1 };',
    'exits.ts': 'process.exit(3);',
    'missing.ts': `import x from 'no-such-package'; export default x;`,
    'odd.mts': '', 'view.tsx': '', 'lib/inner.ts': '', 'good.ts': '',
    'index.ts': 'throw 1', 'good.test.ts': 'throw 1', 'types.d.ts': '', '.hidden.ts': 'throw 1', 'readme.md': '', 'data.json': '{}',
    '.dot/x.ts': '', 'node_modules/x/index.js': '',
  });
  t.match(await request('/functions/good'), { status: 200, text: 'good' });
  const reasons = Object.fromEntries(log.flatMap(({ msg }) => {
    const [, file, reason] = /^rowgate-functions-\w+\/(\S+) is not served: (.*)$/.exec(msg) ?? [];
    return file === undefined ? [] : [[file, reason]];
  }));
  t.match(reasons, {
    'enum.ts': /enum is not supported/, 'none.ts': /no default export/, 'throws.ts': /not today/, 'factory-throws.ts': /not made/,
    'promise.ts': /promise/, 'wrong.ts': /default export is neither/, 'exits.ts': /ended with exit code 3/, 'missing.ts': /no-such-package/,
    'odd.mts': /only \.ts and \.js/, 'view.tsx': /only \.ts and \.js/, lib: /folder/, 'good.ts': /good\.js has its name/,
  });
  t.equal(Object.keys(reasons).length, 12);
  t.match((await request('/functions/none')).body.error.details, { functions: ['best_sellers', 'good'], skipped: 12 });
});

test('a file that never ends to load is left out', async t => {
  const { request, log } = await serveFunctions(t, {
    'good.js': `import { Hono } from 'hono'; export default new Hono().get('/', c => c.text('good'));`,
    'hangs.js': 'await new Promise(() => setTimeout(() => {}, 1e9)); export default 1;',
    'loops.js': 'for (;;);',
  });
  t.match(await request('/functions/good'), { status: 200 });
  t.match(log.filter(({ msg }) => msg.includes('not served')).map(({ msg }) => msg), [/hangs\.js .*more than 10 seconds/,
    /loops\.js .*more than 10/]);
});

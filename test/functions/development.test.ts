import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { until } from '../harness/until.ts';
import { serveFunctions, serveProject } from './serve.ts';

const saying = (text: string) => `import { Hono } from 'hono'; export default new Hono().get('/', c => c.text('${text}'));`;

test('in development a saved file is served, and one that fails to load leaves the old one', async t => {
  const { request, write, folder, log } = await serveFunctions(t, { 'one.ts': saying('first'), 'two.ts': saying('two') }, {
    NODE_ENV: 'development' });
  const says = (name: string, text: string) => until(`${name} says ${text}`,
    async () => (await request(`/functions/${name}`)).text === text);
  await says('one', 'first');
  write({ 'one.ts': saying('second') });
  await says('one', 'second');
  write({ 'three.ts': saying('three') });
  await says('three', 'three');
  write({ 'one.ts': 'export default {' });
  await until('it is told', () => Promise.resolve(log.some(({ msg }) => /one\.ts is not served as it is now: SyntaxError/.test(msg))));
  await says('one', 'second');
  write({ 'two.ts': saying('two again') });
  await says('two', 'two again');
  await says('one', 'second');
  write({ 'one.ts': `import { text } from './lib/text.ts'; ${saying('x').replace("'x'", 'text')}`,
    'lib/text.ts': `export const text: string = 'from lib';` });
  await says('one', 'from lib');
  write({ 'lib/text.ts': `export const text: string = 'lib again';` });
  await says('one', 'lib again');
  rmSync(join(folder, 'three.ts'));
  await until('it is gone', async () => (await request('/functions/three')).status === 404);
  await says('one', 'lib again');
});

test('a folder that is made after the start is served', async t => {
  const { request, write } = await serveProject(t, {}, {}, { NODE_ENV: 'development' });
  t.equal((await request('/functions/one')).status, 404);
  write({ 'functions/one.ts': saying('made later') });
  await until('it is served', async () => (await request('/functions/one')).text === 'made later');
  write({ 'functions/one.ts': saying('saved again') });
  await until('it is served as saved', async () => (await request('/functions/one')).text === 'saved again');
});

test('a saved file of jobs/ runs as saved, and one that fails to load leaves the old one', async t => {
  const { write, sql, log } = await serveProject(t, { 'jobs/say.ts': `export default () => 'first';` }, {}, { NODE_ENV: 'development' });
  const says = (text: string) => until(`the job says ${text}`, async () => {
    await sql`select service.enqueue('say')`;
    return (await sql`select from service.jobs where task = 'say' and result = ${sql.json(text)}`).length > 0;
  });
  await says('first');
  write({ 'jobs/say.ts': `export default () => 'second';` });
  await says('second');
  write({ 'jobs/say.ts': `export default {` });
  await until('it is told', () => Promise.resolve(log.some(({ msg }) => /jobs\/say\.ts is not loaded as it is now: Syntax/.test(msg))));
  write({ 'jobs/say.ts': `export default () => 'third';` });
  await says('third');
  t.notOk((await sql`select from service.jobs where task = 'say' and status = 'failed'`).length);
});

test('a folder without a file starts no process', async t => {
  const { request, log } = await serveFunctions(t, {}, { SERVICE_FUNCTIONS_DIR: '/nonexistent' });
  t.match(await request('/functions/any'), { status: 404, body: { error: { details: { functions: [], skipped: 0 } } } });
  t.notOk(log.some(({ msg }) => msg.includes('worker')));
});

test('settings choose among the files, and an unknown name stops the start', async t => {
  const files = { 'one.ts': saying('1'), 'two.ts': saying('2'), 'three.ts': saying('3') };
  const { request } = await serveFunctions(t, files, { SERVICE_FUNCTIONS_ONLY: 'one, two', SERVICE_FUNCTIONS_EXCLUDE: 'two' });
  t.same((await request('/functions')).body.error.details.functions, ['best_sellers', 'one']);
  await t.rejects(serveFunctions(t, files, { SERVICE_FUNCTIONS_ONLY: 'one,four' }), { message: /SERVICE_FUNCTIONS_ONLY names four/ });
});

test("a project's own packages resolve, and its own hono goes first", async t => {
  const { request } = await serveFunctions(t, {
    'own.ts': `import { own } from 'hono'; import { mine } from 'mine'; import { Hono } from 'rowgate-test-hono'; import {
      defineFunction } from 'rowgate/functions';
      export default new Hono().get('/', c => c.text(own + mine));`,
    'node_modules/hono/package.json': '{"name":"hono","type":"module","exports":"./index.js"}',
    'node_modules/hono/index.js': `export const own = 'own '; export class Hono {}`,
    'node_modules/mine/package.json': '{"name":"mine","type":"module","exports":"./index.js"}',
    'node_modules/mine/index.js': `export const mine = 'mine';`,
    'node_modules/rowgate-test-hono/package.json': '{"name":"rowgate-test-hono","type":"module","exports":"./index.js"}',
    'node_modules/rowgate-test-hono/index.js': `export class Hono { routes = []; get(_path, handle) { this.handle = handle; return this; }
      fetch() { return this.handle({ text: text => new Response(text) }); } }`,
  });
  t.equal((await request('/functions/own')).text, 'own mine');
});

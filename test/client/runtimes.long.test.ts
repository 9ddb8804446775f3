// The client as npm packs it, in each runtime that it is made for, against a service. Every runtime does the same and says what it got.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { test, type Test } from 'tap';
import { listen } from '../accounts/issuer.ts';
import { lendAccounts, OPEN, PASSWORD } from '../accounts/people.ts';
import { openBrowser, type AnyPage, type Browser } from '../harness/browser.ts';
import { openFirefox } from '../harness/firefox.ts';
import { until } from '../harness/until.ts';
import { samplesOf } from '../metrics/exposition.ts';
import { pack } from './packed.ts';

const run = promisify(execFile);

const PROGRAM = `
  import { callFunction, createAuth, createClient, fileMetadata, fileUrl, RowgateError, uploadFile } from '@rowgate/client';
  import { realtime } from '@rowgate/client/realtime';
  import { schema } from './rowgate.types.js';

  /** A snapshot of a list before its only row is written, and the next one. */
  const follow = (tags, name) => new Promise((resolve, reject) => {
    const counts = [];
    let writing;
    const { unsubscribe } = tags.subscribe({ where: { name }, fields: ['name'] }, ({ data, state }) => {
      counts.push(data.length);
      writing ??= tags.create({ name }).catch(reject);
      if (data.length === 0) return;
      unsubscribe();
      writing.then(() => { resolve({ state, counts, isWritten: data[0].name === name }); });
    }, reject);
  });

  /** The last progress of an upload, and what is read at the address of the file. */
  async function upload(db, key) {
    let progress;
    const file = new Blob(['A lämp.'], { type: 'text/plain' });
    const stored = await uploadFile(db, key, file, { onProgress: (...bytes) => { progress = bytes; } });
    const { token } = await fileMetadata(db, stored.key);
    return { key: stored.key, progress, text: await (await fetch(fileUrl(db, key, { token }))).text() };
  }

  export async function use(url, email, password, WebSocket) {
    const db = createClient({
      url, schema, auth: createAuth({ url }), warn: console.error, realtime: connection => realtime(connection, { WebSocket }),
    });
    await db.auth.login({ email, password });
    const { user } = await db.auth.session();
    const { data: [product] } = await db.from('products').list({
      where: { id: ['in', [1]] }, fields: ['price'], include: { category: { fields: ['slug'] } } });
    const [first, second, third] = ['first', 'second', 'third'].map(name => name + ' ' + email);
    const { meta } = await db.from('tags').createMany([{ name: first }, { name: second }]);
    const refused = await db.from('tags').create({ name: first }).catch(error =>
      error instanceof RowgateError ? [error.code, error.status] : String(error));
    const { tag, changed } = await db.batch(batch => {
      const tag = batch.create('tags', { name: third });
      return { tag, changed: batch.update('tags', tag.id, { color: '#00ff00' }) };
    });
    const followed = await follow(db.from('tags'), 'followed ' + email).catch(({ code, message }) => ({ code, message }));
    const file = await upload(db, 'läm p/' + email + '.txt');
    const { data: sellers } = await callFunction(db, 'best_sellers', { since: '2024-01-01' }, {
      where: { productId: 1 }, fields: ['name', 'revenue'] });
    await db.auth.signOut();
    const after = await db.auth.session();
    return {
      email: user.email, product, written: meta.written, refused, inBatch: tag.id === changed.id && changed.color, followed, file, sellers,
      signedOut: after === undefined,
    };
  }`;

/** A program's main file, whose arguments are those of \`use\`. */
const MAIN = `
  import process from 'node:process';
  import { use } from './program.js';
  console.log(JSON.stringify(await use(...process.argv.slice(2))));`;

/** As docs/client.md says it for a platform without WebSocket. */
const WITH_WS = `
  import process from 'node:process';
  import { WebSocket } from 'ws';
  import { use } from './program.js';
  console.log(JSON.stringify(await use(...process.argv.slice(2), WebSocket)));`;

const WORKER = `
  import { use } from './program.js';
  export default { fetch: async request => Response.json(await use(...await request.json())) };`;

const PAGE = `
  import { use } from './program.js';
  const given = await (await fetch('/given')).json();
  const said = await use(...given).catch(error => ({ failed: String(error.stack ?? error) }));
  await fetch('/said', { method: 'POST', body: JSON.stringify(said) });`;

type Arguments = [url: string, email: string, password: string];
type Runtime = {
  /** Beside the client. */
  packages: string[];
  /** The answer of `use` in this project there. @throws Missing when it cannot be tried. */
  answer: Answer;
  /** Without a WebSocket. */
  bare?: Answer;
};
type Answer = (t: Test, folder: string, given: Arguments) => Promise<unknown>;
/** Why a runtime is not here, and cannot be had. */
class Missing extends Error {}

const PLATFORM = `${process.platform}-${process.arch}`;
const DENO = `@deno/${PLATFORM}${process.platform === 'linux' ? '-glibc' : ''}`;
const BUN = `@oven/bun-${PLATFORM.replace('arm64', 'aarch64')}`;
const ESBUILD = 'esbuild@0.28.2';

const RUNTIMES: Record<string, Runtime> = {
  node20: { packages: [...nodeOf(20).packages, 'ws@8.23.0'], answer: nodeOf(20, 'with-ws.js').answer, bare: nodeOf(20).answer },
  node22: nodeOf(22),
  node24: nodeOf(24),
  bun: { packages: [`${BUN}@1.4.5`], answer: (_, folder, given) => main(folder, `${BUN}/bin/bun`, ['main.js', ...given]) },
  deno: {
    packages: [`${DENO}@2.9.6`],
    answer: (_, folder, given) => main(folder, `${DENO}/deno`, ['run', '--allow-net', 'main.js', ...given]),
  },
  workerd: { packages: ['miniflare@4.20260426.0', ESBUILD], answer: inWorkerd },
  chromium: browserOf(openBrowser),
  firefox: browserOf(openFirefox),
};

function nodeOf(major: number, file = 'main.js'): Runtime {
  const name = `node-${PLATFORM}`;
  return { packages: [`${name}@${major}`], answer: (_, folder, given) => main(folder, `${name}/bin/node`, [file, ...given]) };
}

/** The runtime is a program that takes a file. It ends by itself, once the client holds nothing open. */
async function main(folder: string, path: string, args: string[]): Promise<unknown> {
  const { stdout } = await run(join(folder, 'node_modules', path), args, { cwd: folder });
  return JSON.parse(stdout);
}

/** As a bundler brings it there. */
async function bundle(folder: string, file: string): Promise<string> {
  const to = join(folder, 'out', file);
  await run(join(folder, 'node_modules/.bin/esbuild'),
    [file, '--bundle', '--format=esm', `--outfile=${to}`], { cwd: folder });
  return to;
}

async function inWorkerd(t: Test, folder: string, given: Arguments): Promise<unknown> {
  const script = readFileSync(await bundle(folder, 'worker.js'), 'utf8');
  const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare') as { Miniflare: new (options: object) => Flare };
  const flare = new Miniflare({ modules: [{ type: 'ESModule', path: 'worker.js', contents: script }], compatibilityDate: '2026-04-01' });
  t.teardown(() => flare.dispose());
  return (await flare.dispatchFetch('http://worker.test/', { method: 'POST', body: JSON.stringify(given) })).json();
}
type Flare = { dispatchFetch: (url: string, init: object) => Promise<{ json: () => Promise<unknown> }>; dispose: () => Promise<void> };

function browserOf(open: (t: Test) => Promise<Browser<AnyPage> | undefined>): Runtime {
  return {
    packages: [ESBUILD],
    async answer(t, folder, given) {
      const browser = await open(t);
      if (browser === undefined) throw new Missing('The browser is not here');
      const page = await browser.page(480, 720);
      return inPage(t, folder, given, page.open);
    },
  };
}

/** The page asks for its arguments, and sends what it got. */
async function inPage(t: Test, folder: string, given: Arguments, open: (url: string) => Promise<unknown>): Promise<unknown> {
  const script = readFileSync(await bundle(folder, 'page.js'), 'utf8');
  let said: unknown;
  const { url } = await listen(t, (request, response) => {
    if (request.url === '/said') void json(request).then(body => { said = body; response.end(); });
    else if (request.url === '/given') response.end(JSON.stringify(given));
    else response.setHeader('content-type', 'text/html').end(`<!doctype html><script type="module">${script}</script>`);
  });
  await open(url);
  return until('the page has an answer', () => said, { limit: 120_000 });
}

/** Each file of a project that a runtime may begin with, and the program. */
const FILES = { 'program.js': PROGRAM, 'main.js': MAIN, 'with-ws.js': WITH_WS, 'worker.js': WORKER, 'page.js': PAGE };

/** The answer of `use` everywhere. */
const answerOf = (email: string) => ({
  email, product: { id: 1, price: '16.50', category: { id: 6, slug: 'green-tea' } }, written: 2, refused: ['PG_23505', 409],
  inBatch: '#00ff00', followed: { state: 'live', counts: [0, 1], isWritten: true },
  file: { key: `läm p/${email}.txt`, progress: [8, 8], text: 'A lämp.' },
  sellers: [{ name: 'Sencha 煎茶 Asatsuyu', revenue: '49.50' }], signedOut: true,
});

test('the packed client does the same in every runtime', async t => {
  const { project } = pack(t);
  const env = { ...OPEN, STORAGE_PATH: t.testdir(), SERVICE_METRICS: 'true' };
  const people = await lendAccounts(t, env, { template: 'served_store' });
  const sockets = async () => samplesOf(await (await fetch(`${people.address}/metrics`)).text()).get('service_sockets');
  const admin = async (email: string): Promise<Arguments> => {
    await people.register(email);
    await people.sql`update service.users set roles = '{admin}' where email = ${email}`;
    return [people.address, email, PASSWORD];
  };
  for (const [name, { packages, answer, bare }] of Object.entries(RUNTIMES)) {
    await t.test(name, async t => {
      const { folder, missing } = project(name, ...packages);
      if (folder === undefined) return t.pass(name, { skip: missing });
      for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
      const [email, other] = [`${name}@example.org`, `bare.${name}@example.org`];
      try {
        t.same(await answer(t, folder, await admin(email)), answerOf(email));
        await until('its socket is closed, though a page stays open', async () => await sockets() === 0);
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        t.pass(name, { skip: error.message });
      }
      const followed = { code: 'NOT_SUPPORTED', message: 'This runtime has no WebSocket: give realtime one, of "ws" for example.' };
      if (bare) t.same(await bare(t, folder, await admin(other)), { ...answerOf(other), followed }, 'a subscription says what is missing');
    });
  }
});

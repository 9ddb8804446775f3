import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { join } from 'node:path';
import { pino } from 'pino';
import { test, type Test } from 'tap';
import { watchFiles } from '../../gateway/start/watch-files.ts';
import { createService } from '../harness/service.ts';

const notes = (properties: object = {}, rules: object[] = [{ access: 'public' }]) =>
  JSON.stringify({
    slug: 'notes', properties: { id: { type: 'number', isId: 'increment' }, text: { type: 'string' }, ...properties }, securityRules: rules,
  });

/** A service from a folder that is watched. `saved` resolves with the lines up to the one that ends a reload. */
async function watched(t: Test, confirm?: (question: string) => Promise<boolean>) {
  const folder = join(t.testdir(), 'collections');
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.json'), notes());
  const service = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: folder } });
  const { files } = service.database;
  if (files === undefined) throw new Error('without files');
  let [lines, told]: [string[], () => void] = [[], () => undefined];
  const log = pino({ level: 'info' }, new Writable({
    write(chunk, _encoding, done) {
      lines.push((JSON.parse(String(chunk)) as { msg: string }).msg);
      told();
      done();
    },
  }));
  const watching = watchFiles({ project: { collectionsDir: folder, strictCollectionConfig: 'warn', history: true }, files, confirm, log });
  t.teardown(watching.close);
  const saved = async (name: string, content: string, until: RegExp): Promise<string[]> => {
    lines = [];
    const ended = new Promise<void>(resolve => { told = () => { if (until.test(lines.join('\n'))) resolve(); }; });
    writeFileSync(join(folder, name), content);
    await ended;
    return lines;
  };
  return { ...service, folder, saved };
}

test('a saved file is served, and its plan is shown first', async t => {
  const { saved, request, database } = await watched(t);
  const told = await saved('notes.json', notes({ done: { type: 'boolean', defaultValue: false } }), /reloaded/);
  t.match(told, [/^collections: alter table public\.notes add column done boolean/]);
  t.equal(told.at(-1), 'collections: reloaded.');
  await database.catalog.refresh();
  t.match((await request('/data/notes', { method: 'POST', body: '{"text": "x", "done": true}' })).body, { done: true });
  await saved('tags.json', JSON.stringify({ slug: 'tags', properties: { id: { type: 'number', isId: 'increment' } } }), /reloaded/);
  await database.catalog.refresh();
  t.equal((await request('/data/tags')).status, 200);
});

test('files that are wrong, or that the database refuses, change nothing', async t => {
  const { saved, request, sql, database } = await watched(t);
  t.match((await saved('notes.json', '{', /:1:/)).join('\n'), /not reloaded\.\n.*notes\.json:1:/);
  t.match((await saved('notes.json', notes({ x: { type: 'nothing' } }), /unknown type/)).join('\n'), /not reloaded/);
  const refused = await saved('notes.json', notes({ more: { type: 'string' } }, [{ operation: 'select', using: 'missing = 1' }]),
    /"missing" does not exist/);
  t.match(refused.join('\n'), /not reloaded/);
  await database.catalog.refresh();
  t.equal((await request('/data/notes?fields=more')).body.error.code, 'UNKNOWN_FIELD');
  t.same(await sql`select from information_schema.columns where table_name = 'notes' and column_name = 'more'`, []);
  await saved('notes.json', notes({ more: { type: 'string' } }), /reloaded\./);
  await database.catalog.refresh();
  t.equal((await request('/data/notes?fields=more')).status, 200);
});

test('a step that would read a large table waits for a yes', async t => {
  const questions: string[] = [];
  let answer = false;
  const { saved, sql } = await watched(t, question => { questions.push(question); return Promise.resolve(answer); });
  await sql`insert into notes (text) select 'x' from generate_series(1, 100000)`;
  await sql`analyze notes`;
  const indexed = notes({ text: { type: 'string', validation: { unique: true } } });
  await sql`update notes set text = id::text`;
  t.match((await saved('notes.json', indexed, /Not reloaded/)).at(-1), /The next start runs these/);
  t.match(questions, [/^(alter table|create unique index).*\n?.*would lose data, or read or lock a large table/]);
  t.same(await sql`select from pg_index where indrelid = 'notes'::regclass and indisunique and not indisprimary`, []);
  answer = true;
  await saved('notes.json', indexed, /: reloaded/);
  t.equal((await sql`select from pg_index where indrelid = 'notes'::regclass and indisunique and not indisprimary`).length, 1);
});

test('without a terminal it waits for the next start', async t => {
  const { saved, sql } = await watched(t);
  await sql`insert into notes (text) select 'x' from generate_series(1, 100000)`;
  await sql`analyze notes`;
  t.match((await saved('notes.json', notes({ more: { type: 'string', validation: { unique: true } } }), /Not reloaded/)).at(-1),
    /1 of these statements .* The next start runs them\./);
});

test('when the last file is gone what is served stays', async t => {
  const { saved, request, folder } = await watched(t);
  rmSync(join(folder, 'notes.json'));
  t.match(await saved('readme.json~', '', /no collection file left/), [/stays until the next start/]);
  t.equal((await request('/data/notes')).status, 200);
});

// A Date where the types take one, and times of the day, which no Date is.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { callFunction, createClient, type AnySchema, type Client } from '../../client/src/index.ts';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { ROOT } from '../harness/server.ts';
import { createService, SERVICE_KEY } from '../harness/service.ts';
import { checker } from './compiler.ts';

const TYPES = ['date', 'timestamp', 'timestamptz', 'time', 'timetz', 'timestamptz[]', 'time[]', 'timetz[]'];
const SETUP = `
  create table samples (id integer primary key, ${TYPES.map((type, n) => `c${n} ${type}`).join(', ')});
  insert into samples (id) values (1);
  create table hours (id time primary key);
  insert into hours values ('10:30');
  ${['samples', 'hours'].map(table => `
    alter table ${table} enable row level security;
    create policy everybody on ${table} using (true);`).join('')}
  create function echo(${TYPES.map((type, n) => `c${n} ${type} default null`).join(', ')}) returns text
    language sql stable return concat(${TYPES.map((_, n) => `c${n}`).join(', ')});
  comment on function echo is '@endpoint @public';`;

type Db = Client<any>;
/** Uses of `value`, which is a list for an array. */
const USES: [about: string, code: string, run: (db: Db, name: string, value: unknown) => Promise<unknown>][] = [
  ['written', 'db.from(\'samples\').update(1, { NAME: value })', (db, name, value) => db.from('samples').update(1, { [name]: value })],
  ['compared', 'db.from(\'samples\').list({ where: { NAME: [\'>=\', value] } })',
    (db, name, value) => db.from('samples').list({ where: { [name]: ['>=', value] } as never })],
  ['an argument', 'callFunction(db, \'echo\', { NAME: value })', (db, name, value) => callFunction(db, 'echo', { [name]: value })],
  ['an id', 'db.from(\'hours\').list({ where: { id: value } })',
    (db, _, value) => db.from('hours').list({ where: { id: value } as never })],
];

test('a Date is taken where it compiles, and a time of the day is text', async t => {
  const { address, sql } = await createService(t, { template: 'served', setup: SETUP });
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const db = createClient<AnySchema>({ url: address, schema: { version: '', collections: {} }, token: SERVICE_KEY }) as Db;
  const tries = TYPES.flatMap((type, n) => USES
    .filter(([about]) => about !== (type.endsWith('[]') ? 'compared' : '') && (about !== 'an id' || type === 'time'))
    .flatMap(([about, code, run]) => [new Date('2026-01-15T10:30:00.000Z'), '10:30:00'].map(value => {
      const written = value instanceof Date ? 'new Date()' : '\'\' as string';
      const inList = type.endsWith('[]') ? [value] : value;
      return {
        about: `${type} ${about} ${typeof value}`, isTime: /^timetz|^time\b/.test(type), isDate: value instanceof Date,
        code: code.replace('NAME', `c${n}`).replace('value', type.endsWith('[]') ? `[${written}]` : written),
        run: () => run(db, `c${n}`, inList),
      };
    })));
  const file = join(t.testdir({ 'rowgate.types.ts': typesFile(row?.contract as Contract) }), 'uses.ts');
  writeFileSync(file, [
    `import { callFunction, type Client } from '${join(ROOT, 'client/src/index.ts')}'; import { type Schema } from './rowgate.types.ts';`,
    'declare const db: Client<Schema>;', ...tries.map(({ code }) => `void ${code};`),
  ].join('\n'));
  const complaints = new Set(checker([file]).complaints.map(complaint => Number(/:(\d+) /.exec(complaint)?.[1])));
  for (const [n, { about, isTime, isDate, run }] of tries.entries()) {
    const compiles = !complaints.has(n + 3);
    if (isTime) t.equal(compiles, !isDate, `${about} compiles`);
    else if (!about.includes('[]')) t.ok(compiles, `${about} compiles`);
    if (compiles && isDate === !isTime) await t.resolves(run(), about);
    if (isTime && isDate) await t.rejects(run(), about);
  }
});

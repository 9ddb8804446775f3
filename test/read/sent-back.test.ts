// A shown value can be sent back, as an id, a filter, a cursor and a body, and means the stored value.
import { test } from 'tap';
import { some } from '../harness/effort.ts';
import { createService, type TestService } from '../harness/service.ts';
import { SCHEMA, TYPES } from './typed-values.ts';

/** Types whose values are neither keys nor compared in a filter. */
const UNEQUAL = new Set(['xml', 'point', 'box', 'jsonb']);
/** PostgreSQL makes no foreign keys of a domain over an enum. */
const UNREFERENCED = new Set(['mood_domain']);

type Row = Record<string, unknown>;

/** Numbers as they are written. */
function exact(text: string): any {
  return (JSON.parse as (text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown) => unknown)(
    text, (_, value, { source }) =>
      typeof value === 'number' ? (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(source) : value);
}

function asText(shown: unknown): string {
  const text = JSON.stringify(shown);
  return typeof shown === 'string' ? shown : text;
}

async function tables({ sql }: TestService, type: string, index: number, values: string[]): Promise<void> {
  const key = UNEQUAL.has(type) ? '' : 'unique';
  await sql.unsafe(`
    create table v${index} (id integer generated always as identity primary key, k ${type} ${key}, many ${type}[]);
    create table c${index} (id integer generated always as identity primary key, k ${type}, many ${type}[]);
    ${UNEQUAL.has(type) ? '' : `create table k${index} (k ${type} primary key, n integer);
      create table f${index} (id integer primary key, k ${type} ${UNREFERENCED.has(type) ? '' : `references k${index}`});
      create table p${index} (k ${type}, part text, n integer, primary key (k, part));`}`).simple();
  for (const [n, value] of values.entries()) {
    const literal = `'${value.replaceAll('\'', '\'\'')}'::${type}`;
    await sql.unsafe(`insert into v${index} (k, many) values (${literal}, array[${literal}, null, ${literal}])`);
    if (!UNEQUAL.has(type)) await sql.unsafe(`insert into k${index} values (${literal}, ${n});
      insert into f${index} values (${n}, ${literal}); insert into p${index} values (${literal}, 'a:b', ${n})`).simple();
  }
  await sql.unsafe(['v', 'c', ...UNEQUAL.has(type) ? [] : ['k', 'f', 'p']].map(name =>
    `alter table ${name}${index} enable row level security; create policy everybody on ${name}${index} using (true)`).join(';')).simple();
}

const service = createService({ teardown: close => { closing.push(close as () => Promise<void>); } },
  { template: 'served', setup: SCHEMA });
const closing: (() => Promise<void>)[] = [];

for (const [index, [type, values]] of some(Object.entries(TYPES)).entries()) {
  test(type, async t => {
    const opened = await service;
    const { request, sql } = opened;
    await tables(opened, type, index, values);
    await opened.database.catalog.refresh();
    const get = async (path: string): Promise<any> => {
      const { status, text } = await request(`/data/${path}`);
      t.equal(status, 200, `${path}: ${text.slice(0, 200)}`);
      return exact(text);
    };
    const rows = (await get(`v${index}?orderBy=id`)).data as Row[];
    t.equal(rows.length, values.length);

    for (const row of rows) {
      const shown = `${type}: ${JSON.stringify(row['k'])}`;
      for (const [method, path] of [['POST', ''], ['PATCH', '/1']] as const) {
        const answer = await request(`/data/c${index}${path}`, { method, body: JSON.stringify({ k: row['k'], many: row['many'] }) });
        t.ok(answer.status < 300, `${method} ${shown} ${answer.text.slice(0, 300)}`);
        if (answer.status >= 300) continue;
        t.strictSame({ ...exact(answer.text), id: 0 }, { ...row, id: 0 }, `${shown} is shown as it was`);
        const [same] = await sql.unsafe(`select c.k::text collate "C" is not distinct from v.k::text collate "C"
          and c.many::text is not distinct from v.many::text as same, c.k::text, v.k::text as was
          from c${index} c, v${index} v where c.id = ${String(answer.body.id)} and v.id = ${asText(row['id'])}`);
        t.equal(same?.['same'], true, `${method} ${shown} is stored as it was: ${JSON.stringify(same)}`);
      }
      if (UNEQUAL.has(type)) continue;
      t.strictSame((await get(`v${index}?fields=id&k=eq.${encodeURIComponent(asText(row['k']))}`)).data, [{ id: row['id'] }],
        `eq. ${shown}`);
      t.strictSame((await get(`v${index}?fields=id&where=${encodeURIComponent(JSON.stringify({
        k: ['in', [typeof row['k'] === 'object' && !isRaw(row['k']) ? JSON.stringify(row['k']) : row['k']]],
      }))}`)).data,
        [{ id: row['id'] }], `in ${shown}`);
      if (!type.startsWith('char')) {
        t.ok((await get(`v${index}?fields=id&many=cs.${encodeURIComponent(asText(row['k']))}`)).data.length > 0, `cs. ${shown}`);
      }
    }
    if (UNEQUAL.has(type)) return;

    for (const [n, row] of ((await get(`k${index}?orderBy=n&include=*`)).data as Row[]).entries()) {
      const id = asText(row['k']);
      if (id === '') continue; // no URL names it
      const path = encodeURIComponent(id);
      t.strictSame(await get(`k${index}/${path}`), { k: row['k'], n: row['n'] }, `GET ${id}`);
      if (!UNREFERENCED.has(type)) {
        t.equal(
          (await get(`k${index}/${path}/f${index}`).then(({ data }: { data: Row[] }) => data.map(found => asText(found['id'])))).join(),
          String(n), `below ${id}`,
        );
      }
      if (!UNREFERENCED.has(type)) t.equal((row[`f${index}`] as Row[]).length, 1, `included in ${id}`);
      const part = encodeURIComponent(`${id.replaceAll('%', '%25').replaceAll(':', '%3A')}:::a%3Ab`);
      t.match(await get(`p${index}/${part}`), { part: 'a:b' }, `the id with ${id} in it`);
      const patched = await request(`/data/k${index}/${path}`, { method: 'PATCH', body: '{"n": 100}' });
      t.equal(patched.status, 200, `PATCH ${id}: ${patched.text.slice(0, 200)}`);
      await sql.unsafe(`update k${index} set n = ${n} where n = 100`);
      t.equal((await get(`f${index}?k=eq.${path}`)).data.length, 1, `the rows of ${id}`);
    }
    // By cursor, each once.
    for (const order of type.startsWith('byte') ? [''] : ['', '&orderBy=k:asc', '&orderBy=k:desc']) {
      const met: string[] = [];
      for (let after = ''; ;) {
        const { data, meta } = await get(`k${index}?limit=1${order}${after}`) as { data: Row[]; meta: { nextCursor?: string } };
        met.push(...data.map(row => asText(row['n'])));
        if (meta.nextCursor === undefined || met.length > values.length) break;
        after = `&after=${meta.nextCursor}`;
      }
      t.equal(met.map(Number).sort((a, b) => a - b).join(), values.map((_, n) => n).join(), `a walk ${order}`);
    }
    // A new key is answered with its row.
    await sql.unsafe(`delete from f${index}; delete from k${index}`).simple();
    for (const row of rows.filter(({ k }) => k !== '')) { // a blank key asks for one to be made
      const answer = await request(`/data/k${index}`, { method: 'POST', body: JSON.stringify({ k: row['k'], n: 1 }) });
      t.equal(answer.status, 201, `a key ${JSON.stringify(row['k'])}: ${answer.text.slice(0, 200)}`);
    }
  });
}

test('json is stored as it is sent, with the order of its keys and those that come twice', async t => {
  const { request, sql, database } = await service;
  await sql.unsafe(`create table documents (id integer generated always as identity primary key,
    doc json, docs json[], domained json_domain, word text);
    alter table documents enable row level security; create policy everybody on documents using (true)`).simple();
  await database.catalog.refresh();
  const shown = async (id: number, field: string) =>
    (await request(`/data/documents/${id}?fields=${field}`)).text.replace(/^\{"id":\d+,"\w+":(.*)\}$/s, '$1');
  const send = (method: string, path: string, body: string) => request(`/data/documents${path}`, { method, body });
  const first = await send('POST', '', '{"word": "first"}');
  for (const doc of [
    '{"b": 1,  "a": [1.50, null, {"z":0,"y":0}], "b": 2}', '"x"', '12345678901234567890.10', '[ ]', '{"\\u00e9": "\\\\"}', 'false',
  ]) {
    for (const [method, path] of [['POST', ''], ['PATCH', `/${first.body.id}`], ['POST', ''], ['POST', '']] as const) {
      const { status, body, text } = await send(method, path,
        `{"word": "w", "doc": ${doc}, "docs": [${doc.startsWith('[') ? '' : `${doc}, null`}], "domained": ${doc}}`);
      t.ok(status < 300, text);
      const [row] = await sql`select doc::text, docs[1]::text as item, domained::text from documents where id = ${body.id}`;
      t.same({ ...row }, { doc, item: doc.startsWith('[') ? null : doc, domained: doc }, `${method} ${doc}`);
      t.equal(await shown(body.id, 'doc'), doc, 'and is shown so');
    }
  }
  const { body: { id } } = await send('POST', '', '{"doc": null, "word": "null is no document"}');
  t.same((await sql`select doc is null as empty, word from documents where id = ${id}`).map(row => ({ ...row })),
    [{ empty: true, word: 'null is no document' }]);
});

test('close', async t => {
  await service;
  for (const close of closing.reverse()) await close();
  t.end();
});

function isRaw(value: unknown): boolean {
  return (JSON as unknown as { isRawJSON: (value: unknown) => boolean }).isRawJSON(value);
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'tap';
import { createClient, type AnySchema, type Client, type Facts } from '../../client/src/index.ts';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { createService, SERVICE_KEY } from '../harness/service.ts';
import { checker } from './compiler.ts';
import { refusal, storeClient } from './service.ts';

const OPEN = ['constructor', '__proto__', 'class', 'a.b', 'two words', 'it\'s "quoted"', 'tail/end', 'toString', '2fa']
  .map(name => `"${name.replaceAll('"', '""')}"`).map(name => `
    create table ${name} ("constructor" bigint primary key, "__proto__" numeric, "new" text, "a.b" text, "two words" text,
      "it's ""quoted""" numeric, "limit" text, "or" text);
    insert into ${name} values (9007199254740993, 1.50, 'x', 'y', 'z', 2.10, 'l', 'o');
    alter table ${name} enable row level security;
    create policy everybody on ${name} using (true);`).join('\n');
const PAIRS = `
  create table stays (owner integer, is_home boolean, day date, note text, primary key (owner, is_home, day));
  insert into stays values (1, true, '2026-01-02', 'a');
  alter table stays enable row level security;
  create policy everybody on stays using (true);
  create table pairs ("left" bigint, "right" text, weight numeric, weights numeric[], note jsonb, primary key ("left", "right"));
  insert into pairs values (1, 'a/b', 1.50, '{1.10,null,2}', '{"weight": 1.50, "left": [1, {"weight": 2.0}]}'),
    (2, '50%:::x', 7.00, null, '7');
  alter table pairs enable row level security;
  create policy everybody on pairs using (true);
  create table parts (id bigint primary key, pair_left bigint, pair_right text, total numeric,
    foreign key (pair_left, pair_right) references pairs);
  insert into parts values (1, 1, 'a/b', 9.90);
  alter table parts enable row level security;
  create policy everybody on parts using (true);`;

type Any = Record<string, any>;
const NONE: Contract = { schemaVersion: '', catalog: [], openSlugs: [], functions: [] };

test('names that are keywords, hold dots, spaces and quotes, or are members of every object', async t => {
  const { sql, address } = await createService(t, { template: 'served', setup: OPEN });
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const file = join(t.testdir(), 'rowgate.types.ts');
  writeFileSync(file, typesFile(row?.contract ?? NONE));
  t.same(checker([file]).complaints, []);
  const { schema } = await import(pathToFileURL(file).href) as { schema: Facts };
  const db = createClient<AnySchema>({ url: address, schema, token: SERVICE_KEY, warn: () => undefined }) as Client<any>;
  const slugs = row?.contract.catalog.map(({ slug }) => slug) ?? [];
  t.same(Object.keys(schema.collections).sort(), slugs.toSorted());
  t.ok(slugs.length >= 6 && slugs.includes('constructor'), slugs.join());
  for (const { slug, properties } of row?.contract.catalog ?? []) {
    const names = properties.map(({ name }) => name);
    const rows: Any = db.from(slug);
    const { data: [first] } = await rows.list({ fields: names.filter(name => !name.includes(',')) }) as { data: Any[] };
    t.equal(first?.['constructor'], '9007199254740993', slug);
    t.ok(Object.values(first ?? {}).includes('2.10') && Object.values(first ?? {}).includes('1.50'), 'every digit by any name');
    for (const name of names) {
      if (name.includes('.')) continue; // a field of a relation, to the API
      const { data } = await rows.list({ where: { [name]: first?.[name] } }) as { data: Any[] };
      t.equal(data.length, 1, `${slug} by ${name}`);
    }
    t.same(await rows.get('9007199254740993', { fields: ['constructor'] }), { constructor: '9007199254740993' });
  }
});

test('composite keys, lists of exact numbers, and numbers of the same name inside of JSON', async t => {
  const { sql, address } = await createService(t, { template: 'served', setup: PAIRS });
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const file = join(t.testdir(), 'rowgate.types.ts');
  writeFileSync(file, typesFile(row?.contract ?? NONE));
  const { schema } = await import(pathToFileURL(file).href) as { schema: Facts };
  const db = createClient<AnySchema>({ url: address, schema, token: SERVICE_KEY, warn: () => undefined }) as Client<any>;
  const pairs: Any = db.from('pairs');
  const note = { left: [1, { weight: 2 }], weight: 1.5 };
  t.same(await pairs.get([1, 'a/b']), { left: '1', right: 'a/b', weight: '1.50', weights: ['1.10', null, '2'], note });
  t.match(await pairs.update([2n, '50%:::x'], { weight: 12345678901234567890123n }),
    { left: '2', weight: '12345678901234567890123', note: 7 });
  const { data, meta } = await (db.from('parts') as Any)['list']({ include: { pairs: true } }) as { data: Any[]; meta: Any };
  t.same(data.map(({ id, total, pairs: pair }) => [id, total, pair.weight, pair.note]), [['1', '9.90', '1.50', note]]);
  t.equal(meta.total, 1, 'which is the name of an exact number too');
  t.same(await pairs.related([1, 'a/b'], 'parts').count(), 1);
  await pairs.remove([2, '50%:::x']);
  const stays: Any = db.from('stays');
  const { data: [stay] } = await stays.list({ fields: ['owner', 'isHome', 'day'] }) as { data: [Any] };
  t.match(await stays.get([stay.owner, stay.isHome, stay.day]), { note: 'a' }, 'by the values of the row');
  t.match(await stays.update([1, true, new Date('2026-01-02')], { note: 'b' }), { note: 'b' });
  t.equal(await pairs.count(), 1);
});

test('a row that was deleted softly is restored, and one is made again what it was', async t => {
  const increment = { type: 'number', isId: 'increment', columnType: 'bigint' };
  const notes = {
    slug: 'notes', softDelete: { field: 'goneAt' }, history: true, securityRules: [{ operation: 'all', access: 'public' }],
    properties: { id: increment, text: { type: 'string' }, goneAt: { type: 'date' } },
  };
  const env = { SERVICE_COLLECTIONS_DIR: t.testdir({ 'notes.json': JSON.stringify(notes) }) };
  const { sql, address } = await createService(t, { template: 'served', env });
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const text = typesFile(row?.contract ?? NONE);
  t.match(text, /goneAt\?: null;/);
  const folder = t.testdir({ 'rowgate.types.ts': text });
  const { schema } = await import(pathToFileURL(join(folder, 'rowgate.types.ts')).href) as { schema: Facts };
  const db = createClient<AnySchema>({ url: address, schema, token: SERVICE_KEY, warn: () => undefined }) as Client<any>;
  const rows: Any = db.from('notes');
  const { id } = await rows.create({ text: 'first' }) as { id: string };
  await rows.update(id, { text: 'second' });
  await rows.remove(id);
  t.equal(await rows.count(), 0);
  t.equal(await rows.count({ deleted: 'only' }), 1);
  t.match(await rows.restore(id), { id: '1', text: 'second', goneAt: null });
  const { data } = await rows.history(id) as { data: Any[] };
  t.same(data.map(({ action, values }) => [action, values.id]), [['update', '1'], ['delete', '1'], ['update', '1'], ['create', '1']]);
  t.match(await rows.revert(id, data[3]?.['id']), { id: '1', text: 'first' });
  await rows.remove(id, { hard: true });
  t.equal(await rows.count({ deleted: 'include' }), 0);
});

test('values arrive as they were meant', async t => {
  const { db } = await storeClient(t);
  const tags = db.from('tags');
  const names = ['eq.like', 'gte.5', 'null', 'in.(a,b)', 'is.null', '["like","%"]', 'a,b', 'a\\,b', '%', '&where={}', '#?+ /', '\u2028"\''];
  for (const name of names) {
    const { id } = await tags.create({ name });
    t.same((await tags.list({ where: { name } })).data.map(tag => tag.name), [name]);
    t.same((await tags.list({ where: { name: ['in', [name, 'none']] } })).data.map(tag => tag.id), [id]);
    t.same((await tags.list({ where: { name: [['==', name], ['!=', 'none']] } })).data.map(tag => tag.id), [id]);
    t.equal(await tags.count({ or: [{ column: 'name', operator: '==', value: name }] }), 1);
    await tags.remove(id);
  }
  t.equal(await db.from('orders').count({ where: { id: ['in', [1n, '2', 3]] } }), 3);
  t.equal(await db.from('orders').count({ where: { id: ['in', []] } }), 0, 'the empty list lets no row through');
  t.equal(await db.from('orders').count({ where: { placedAt: ['<', new Date('2025-02-01')] } }),
    await db.from('orders').count({ where: { placedAt: ['<', '2025-02-01T00:00:00Z'] } }));
});

test('values that would be dropped or changed on the way are refused', async t => {
  const { db } = await storeClient(t);
  const tags = db.from('tags');
  const wrong = ['INVALID_INPUT', 0];
  const values = [
    undefined, NaN, Infinity, new Date(NaN), 'a\0b', Symbol('a'), () => 1, { a: 1 }, [], ['like'], ['like', undefined], [['like']],
    ['in', [undefined]], ['in', [NaN]],
  ];
  for (const [i, value] of values.entries()) t.same(await refusal(tags.list({ where: { name: value as never } })), wrong, `where ${i}`);
  const ids = [undefined, null, '', NaN, {}, [], new Date(NaN), [new Date(NaN)], '.', '..', '\ud800', 'count', 'aggregate'];
  for (const id of ids as never[]) {
    t.same(await refusal(tags.get(id)), wrong, `get ${String(id)}`);
  }
  t.same(await refusal(tags.update('bulk' as never, {})), wrong);
  t.same(await refusal(tags.remove('..' as never)), wrong, 'not the collection');
  const { data: [order] } = await db.from('orders').list({ include: { customer: undefined as never }, limit: 1 });
  t.notOk('customer' in (order as object), 'undefined is not included');
  for (const name of ['where', 'or', 'and', 'not', 'searchString']) {
    t.same(await refusal(tags.count({ [name]: undefined })), wrong, `${name} that is undefined would let every row through`);
  }
  t.same(await refusal(tags.list({ include: undefined as never })), wrong, 'its type would have the rows');
  t.same(await refusal(db.from('orders').list({ include: { customer: { include: undefined as never } } })), wrong);
  const none = [[], new Map([['name', 'organic']]), new Set(['name']), new Date(), 5, true, '', () => true, Promise.resolve({})];
  for (const where of none as never[]) {
    t.same(await refusal(tags.count({ where })), wrong, `${Object.prototype.toString.call(where)} would let every row through`);
    const include = { category: { where } };
    t.same(await refusal(db.from('products').list({ include })), wrong, 'in an include likewise');
  }
  t.equal(await tags.count({ where: Object.assign(Object.create(null), { name: 'organic' }) as { name: string } }), 1);
  for (const name of ['where', 'logical']) {
    const include = { include: { category: true, order_items: { [name]: undefined } } };
    for (const query of [include, { include: { bundles: include } }]) {
      t.same(await refusal((db as Client<any>).from('products').list(query)), wrong, `${name} in an include likewise`);
    }
  }
  t.same(await refusal(tags.list({ or: [] })), wrong, 'no alternative lets no row through');
  for (const names of [['or', 'and'], ['or', 'not'], ['and', 'not']]) {
    const groups = Object.fromEntries(names.map(name => [name, [{ column: 'name', operator: '==', value: 'organic' }]]));
    t.same(await refusal(tags.list(groups)), wrong, `${names.join(' and ')}: the service would heed one of them`);
  }
  t.same(await refusal(tags.upsert({ name: 'x' }, { onConflict: [] })), wrong);
  const nothing = { logical: { type: 'or', conditions: [] } } as const;
  t.same(await refusal(db.from('products').list({ include: { order_items: nothing } })), wrong, 'nor in an include');
  t.same(await refusal(tags.get(1, { fields: [] })), wrong, 'no field is not every field');
  t.same(await refusal(db.from('products').get(1, { include: { category: { fields: [] } } })), wrong);
  t.same(await refusal(tags.update(1, { color: '#fff' }, { fields: [] })), wrong);
  t.same(await refusal(tags.create({ name: 'x', color: (() => 1) as never })), wrong);
  t.same(await refusal(db.from('products').update(1, { taste: [1, undefined] as never })), wrong);
  for (const value of [new Map([['a', 1]]), new Set([1]), new Uint8Array(2), new ArrayBuffer(2), /a/, new Blob(['a']), Symbol('a')]) {
    const changes = { attributes: { value } as never };
    t.same(await refusal(db.from('products').update(1, changes)), wrong, `${Object.prototype.toString.call(value)} in JSON`);
  }
  const plain = Object.assign(Object.create(null) as object, { url: new URL('http://a.example/'), list: [new Date(0), null, true] });
  const { attributes } = await db.from('products').update(1, { attributes: { plain } as never });
  t.match(attributes, { plain: { url: 'http://a.example/', list: ['1970-01-01T00:00:00.000Z', null, true] } });
  t.same(await refusal(db.from('products').update(1, { stock: NaN })), wrong);
  t.same(await refusal(tags.list({ fields: ['a,b'] as never })), wrong);
  t.same(await refusal(tags.list({ where: { id: ['in', Array.from({ length: 9000 }, (_, i) => i)] } })), ['URI_TOO_LONG', 414]);
  t.equal((await tags.list({ where: { id: ['in', Array.from({ length: 2000 }, (_, i) => i)] } })).data.length, await tags.count());
  t.match(await tags.update(1, { color: undefined as never }), { id: 1, name: 'organic' }, 'a field that is undefined is not sent');
});

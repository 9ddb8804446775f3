// API keys whose scopes cover one collection, and bodies whose relations change rows of another: doors by scopes.
import { test, type Test } from 'tap';
import { connect } from '../harness/socket.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { collections, createWriter, type Writer } from '../write/client.ts';

const id = { type: 'number', isId: 'increment' };
const rules = [{ access: 'public' }];
const relation = (kind: string, target: string, more: object = {}) => ({ type: 'relation', relation: { kind, target, ...more } });
const SHELVES = {
  slug: 'shelves', history: true, securityRules: rules, properties: {
    id, name: { type: 'string', validation: { unique: true } }, books: relation('hasMany', 'books', { foreignKeyOnTarget: 'shelf_id' }),
    label: relation('hasOne', 'labels', { foreignKeyOnTarget: 'shelf_id' }), tags: relation('manyToMany', 'tags'),
    room: relation('belongsTo', 'rooms'),
  },
};
const BOOKS = {
  slug: 'books', securityRules: rules, properties: { id, title: { type: 'string' }, shelf: relation('belongsTo', 'shelves') },
};
const LABELS = {
  slug: 'labels', securityRules: rules, properties: { id, text: { type: 'string' }, shelf: relation('belongsTo', 'shelves') },
};
const TAGS = {
  slug: 'tags', securityRules: rules, properties: { id, word: { type: 'string' }, shelves: relation('manyToMany', 'shelves') },
};
const ROOMS = {
  slug: 'rooms', securityRules: rules, properties: { id, shelves: relation('hasMany', 'shelves', { foreignKeyOnTarget: 'room_id' }) },
};

type Library = Writer & { keyWith: (scopes: string) => Promise<string> };

async function library(t: Test): Promise<Library> {
  const service = await createWriter(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, SHELVES, BOOKS, LABELS, TAGS, ROOMS) } });
  const keyWith = async (scopes: string) =>
    (await service.request('/admin/api-keys', {
      method: 'POST', body: JSON.stringify({ name: 'x', scopes: scopes.split(' ') }),
    })).body.key.key as string;
  await service.sql.unsafe(`
    insert into rooms values (1);
    insert into shelves (id, name, room_id) values (1, 'one', 1), (2, 'two', 1);
    insert into books (id, title, shelf_id) values (1, 'A', 1), (2, 'B', 2);
    insert into labels (id, text, shelf_id) values (1, 'L', 1);
    insert into tags (id, word) values (1, 'x'), (2, 'y');
    select setval(pg_get_serial_sequence(c, 'id'), 100) from unnest('{rooms,shelves,books,labels,tags}'::text[]) c`).simple();
  await service.send('PATCH', 'shelves/1', { tags: [1] }, { as: SERVICE_KEY });
  return { ...service, keyWith };
}

type Door = [name: string, method: 'POST' | 'PATCH' | 'PUT', path: string, body: (link: object) => unknown];
/** Each way to send the body of a shelf, as long as the key may do the rest. */
const DOORS: Door[] = [
  ['create', 'POST', 'shelves', link => ({ ...link })],
  ['create, minimal', 'POST', 'shelves?fields=id', link => ({ ...link })],
  ['update', 'PATCH', 'shelves/2', link => link],
  ['replace', 'PUT', 'shelves/2', link => link],
  ['upsert, new', 'POST', 'shelves?on_conflict=id', link => ({ id: 50, ...link })],
  ['upsert, stored', 'POST', 'shelves?on_conflict=id', link => ({ id: 2, ...link })],
  ['bulk create', 'POST', 'shelves/bulk', link => ({ rows: [{ name: 'n' }, link] })],
  ['bulk upsert', 'POST', 'shelves/bulk', link => ({ items: [{ id: 2, ...link }], upsert: true })],
  ['bulk update', 'PATCH', 'shelves/bulk', link => ({ updates: [{ id: 2, ...link }] })],
  ['bulk update, apart', 'PATCH', 'shelves/bulk', link => ({ updates: [{ id: 1, data: {} }, { id: 2, data: link }] })],
  ['batch create', 'POST', '_batch', link => ({ operations: [{ op: 'create', collection: 'shelves', values: link }] })],
  ['batch update', 'POST', '_batch', link => ({ operations: [{ op: 'update', collection: 'shelves', id: 2, values: link }] })],
  ['batch upsert', 'POST', '_batch', link => ({ operations: [{ op: 'upsert', collection: 'shelves', values: { id: 2, ...link } }] })],
  ['batch, by ref', 'POST', '_batch', link => ({ operations: [{ op: 'create', collection: 'shelves', values: {}, ref: 's' },
    { op: 'update', collection: 'shelves', id: { $ref: 's.id' }, values: link }] })],
  ['nested create', 'POST', 'rooms/1/shelves', link => ({ ...link })],
  ['nested update', 'PATCH', 'rooms/1/shelves/2', link => link],
  ['nested create over a junction', 'POST', 'tags/2/shelves', link => ({ ...link })],
  ['nested attach over a junction', 'PATCH', 'tags/2/shelves/2', link => link],
];
const OWN = 'data:write:shelves data:read:rooms data:read:tags';

/** [what is sent, the scope that it needs beside those of the shelf's own]. */
const LINKS: [name: string, link: object, needed: string][] = [
  ['takes a book', { books: [1] }, 'data:write:books'],
  ['lets books go', { books: [] }, 'data:write:books'],
  ['lets books go by null', { books: null }, 'data:write:books'],
  ['takes a label', { label: 1 }, 'data:write:labels'],
  ['lets its label go', { label: null }, 'data:write:labels'],
];

async function links(sql: Library['sql']): Promise<unknown> {
  return [...await sql`select 'book' as kind, id, shelf_id from books union all select 'label', id, shelf_id from labels order by 1, 2`];
}

test('a body links only rows of collections that the key may write', async t => {
  const { sql, send, keyWith } = await library(t);
  const before = await links(sql);
  const own = await keyWith(OWN);
  const reading = await keyWith(`${OWN} data:read data:delete`);
  for (const [name, link, needed] of LINKS) {
    const allowed = await keyWith(`${OWN} ${needed}`);
    for (const [door, method, path, body] of DOORS) {
      for (const as of [own, reading]) {
        const { status, body: { error } } = await send(method, path, body(link), { as });
        t.same([status, error?.code, error?.details?.requiredScope], [403, 'API_KEY_FORBIDDEN', needed], `${door} ${name}`);
      }
    }
    t.same([await links(sql), (await sql`select from shelves`).length], [before, 2], `${name}: nothing has moved, nothing is made`);
    for (const [door, method, path, body] of DOORS) {
      const answer = await send(method, path, body(link), { as: allowed });
      t.ok(answer.status < 300, `${door} ${name} with ${needed}: ${answer.text}`);
    }
    await sql`delete from shelves where id > 2`;
    await sql`update books set shelf_id = id`;
    await sql`update labels set shelf_id = id`;
  }
});

test('links that stand in a junction need data:read of the related rows', async t => {
  const { sql, send, keyWith } = await library(t);
  const own = await keyWith('data:write:shelves data:read:rooms');
  const allowed = await keyWith('data:write:shelves data:read:rooms data:read:tags');
  const ofShelf = DOORS.filter(([, , path]) => !path.startsWith('tags/'));
  for (const link of [{ tags: [2] }, { tags: [] }, { tags: [{ id: 1 }] }]) {
    for (const [door, method, path, body] of ofShelf) {
      const { status, body: { error } } = await send(method, path, body(link), { as: own });
      t.same([status, error?.code, error?.details?.requiredScope], [403, 'API_KEY_FORBIDDEN', 'data:read:tags'],
        `${door} ${JSON.stringify(link)}`);
    }
    for (const [door, method, path, body] of ofShelf) {
      t.ok((await send(method, path, body(link), { as: allowed })).status < 300, `${door} ${JSON.stringify(link)}`);
    }
    await sql`delete from shelves where id > 2`;
  }
});

test('sockets link by the same scopes', async t => {
  const { keyWith, sql, ...service } = await library(t);
  const before = await links(sql);
  const save = async (scopes: string, payload: object) =>
    (await connect(t, service, { token: await keyWith(scopes) })).request('SAVE', { path: 'shelves', ...payload });
  for (const payload of [
    { values: { books: [1] } }, { id: 2, values: { books: [1] } }, { values: { id: 2, books: [] }, status: 'new', upsert: true },
  ]) {
    t.match(await save(OWN, payload),
      { type: 'ERROR', payload: { error: { code: 'API_KEY_FORBIDDEN', details: { requiredScope: 'data:write:books' } } } },
      JSON.stringify(payload));
    t.same(await links(sql), before);
    t.match(await save(`${OWN} data:write:books`, payload), { type: 'SAVE_SUCCESS' });
    await sql`delete from shelves where id > 2`;
    await sql`update books set shelf_id = id`;
  }
});

test('a path that links needs the scope of its operation on the rows that it ends in, and data:read above them', async t => {
  const { send, keyWith } = await library(t);
  const cases: [scopes: string, method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object | undefined, needed: string | number][] = [
    ['data:write:shelves', 'POST', 'shelves/1/books', { title: 'C' }, 'data:read:shelves'],
    ['data:write:shelves data:read:shelves', 'POST', 'shelves/1/books', { title: 'C' }, 'data:write:books'],
    ['data:write:shelves data:read data:delete:shelves', 'PATCH', 'shelves/1/books/1', { shelf: 2 }, 'data:write:books'],
    ['data:write data:read', 'DELETE', 'shelves/1/books/1', undefined, 'data:delete:books'],
    ['data:write:shelves data:read', 'POST', 'shelves/1/tags', { word: 'z' }, 'data:write:tags'],
    ['data:write:shelves data:read', 'PATCH', 'shelves/1/tags/2', {}, 'data:write:tags'],
    ['data:write data:read:shelves', 'DELETE', 'shelves/1/tags/1', undefined, 'data:delete:tags'],
    ['data:write:tags data:read:shelves', 'PATCH', 'shelves/1/tags/2', {}, 200],
    ['data:delete:tags data:read:shelves', 'DELETE', 'shelves/1/tags/1', undefined, 204],
    ['data:write:books', 'PATCH', 'books/1', { shelf: 2 }, 200],
    ['data:write:books', 'PATCH', 'books/1', { shelfId: 1 }, 200],
  ];
  for (const [scopes, method, path, body, needed] of cases) {
    const { status, body: answer } = await send(method, path, body, { as: await keyWith(scopes) });
    t.equal(answer?.error?.details?.requiredScope ?? status, needed, `${scopes}: ${method} ${path} ${JSON.stringify(body)}`);
  }
});

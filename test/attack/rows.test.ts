// Writes of one person that reach for the rows, fields and history of another: each probe with its answer, and what is left of them all.
import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { collections, createWriter } from '../write/client.ts';

const id = { type: 'number', isId: 'increment' };
const NOTES = {
  slug: 'notes', history: true,
  securityRules: [
    { operations: ['select', 'update', 'delete'], ownerField: 'owner' },
    { operation: 'insert', withCheck: '{owner} = (select service.uid())' },
  ],
  properties: {
    id, owner: { type: 'string', autoValue: 'user_on_create' }, title: { type: 'string', validation: { max: 40 } },
    secret: { type: 'string', access: { read: ['admin'], write: ['admin'] } }, hidden: { type: 'string', excludeFromApi: true },
    changed: { type: 'date', autoValue: 'on_update' }, code: { type: 'string', validation: { unique: true } }, data: { type: 'map' },
    parts: { type: 'relation', relation: { kind: 'hasMany', target: 'parts', foreignKeyOnTarget: 'note_id' } },
  },
};
const PARTS = {
  slug: 'parts', securityRules: [{ operations: ['select', 'update', 'delete', 'insert'], ownerField: 'owner' }],
  properties: {
    id, owner: { type: 'string', autoValue: 'user_on_create' },
    note: { type: 'relation', relation: { kind: 'belongsTo', target: 'notes' } },
  },
};

type Probe = [
  what: string, method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body: unknown, status: number,
  headers?: Record<string, string>,
];

/** Asked by ada. Rows 1 and 11 are hers, 2 and 12 are bob's. */
const PROBES: Probe[] = [
  ['a row of another', 'PATCH', 'notes/2', { title: 'x' }, 404],
  ['replaces it', 'PUT', 'notes/2', { title: 'x' }, 404],
  ['deletes it', 'DELETE', 'notes/2', undefined, 404],
  ['deletes it for good', 'DELETE', 'notes/2?hard=true', undefined, 404],
  ['gives a row of hers away', 'PATCH', 'notes/1', { owner: 'bob' }, 200],
  ['takes the name of another', 'POST', 'notes', { title: 'x', owner: 'bob' }, 201],
  ['the name of nobody', 'POST', 'notes', { title: 'x', owner: null }, 201],
  ['moves the key onto another row', 'PATCH', 'notes/1', { id: 2 }, 400],
  ['creates over the key of another', 'POST', 'notes', { id: 2, title: 'x' }, 409],
  ['creates over a unique value of another', 'POST', 'notes', { title: 'x', code: 'b' }, 409],
  ['changes to a unique value of another', 'PATCH', 'notes/1', { code: 'b' }, 409],
  ['upserts onto the key of another', 'POST', 'notes?on_conflict=id', { id: 2, title: 'x' }, 403],
  ['upserts onto a unique value of another', 'POST', 'notes?on_conflict=code', { code: 'b', title: 'x' }, 403],
  ['upserts by a field that she may not read', 'POST', 'notes?on_conflict=secret', { secret: 'sb', title: 'x' }, 400],
  ['upserts by an excluded field', 'POST', 'notes?on_conflict=hidden', { hidden: 'hb' }, 400],
  ['writes a field that is not hers to write', 'PATCH', 'notes/1', { secret: 'x' }, 400],
  ['writes an excluded field', 'PATCH', 'notes/1', { hidden: 'x' }, 400],
  ['writes it by its column', 'PATCH', 'notes/1', { HIDDEN: 'x' }, 400],
  ['writes a stamp', 'PATCH', 'notes/1', { changed: '2000-01-01' }, 200],
  ['an operation on a field that is not hers', 'PATCH', 'notes/1', { secret: { '$inc': 1 } }, 400],
  ['asks for a field that she may not read', 'POST', 'notes?fields=secret', { title: 'x' }, 400],
  ['asks for an excluded one', 'POST', 'notes?fields=hidden', { title: 'x' }, 201],
  ['an unknown field', 'POST', 'notes', { nothing: 1 }, 400],
  ['a prototype', 'POST', 'notes', { __proto__x: 1, constructor: 1 }, 400],
  ['SQL as a key', 'PATCH', 'notes/2%20or%201=1', { title: 'x' }, 404],
  ['SQL as a list of keys', 'DELETE', 'notes/1,2', undefined, 404],
  ['a wildcard as a key', 'DELETE', 'notes/*', undefined, 404],
  ['SQL as a field', 'PATCH', 'notes/1', { 'title" = \'x\', "secret': 'x' }, 400],
  ['SQL as a target', 'POST', 'notes?on_conflict=id)%20do%20nothing--', { id: 1 }, 400],
  ['SQL as an answer', 'POST', 'notes?fields=id,(select%201)', { title: 'x' }, 400],
  ['a part of the note of another', 'POST', 'parts', { note: 2 }, 201],
  ['a new part under the note of another', 'POST', 'notes/2/parts', {}, 404],
  ['a part of another under her note', 'PATCH', 'notes/1/parts/12', {}, 404],
  ['the part of another by the path of its note', 'PATCH', 'notes/2/parts/12', {}, 404],
  ['deletes it there', 'DELETE', 'notes/2/parts/12', undefined, 404],
  ['links the part of another in a body', 'PATCH', 'notes/1', { parts: [12] }, 400],
  [
    'many rows, one of another', 'PATCH', 'notes/bulk', { updates: [{ id: 1, data: { title: 'x' } }, { id: 2, data: { title: 'x' } }] },
    404,
  ],
  ['deletes many, one of another', 'POST', 'notes/bulk/delete', { ids: [1, 2] }, 404],
  ['creates many, one for another', 'POST', 'notes/bulk', { rows: [{ title: 'x' }, { title: 'x', owner: 'bob' }] }, 200],
  ['upserts many onto another', 'POST', 'notes/bulk', { rows: [{ id: 2, title: 'x' }], upsert: true }, 403],
  ['a batch with a row of another', 'POST', '_batch', { operations: [
    { op: 'update', collection: 'notes', id: 1, values: { title: 'x' } },
    { op: 'update', collection: 'notes', id: 2, values: { title: 'x' } },
  ] }, 404],
  ['a batch that deletes it', 'POST', '_batch', { operations: [{ op: 'delete', collection: 'notes', id: 2 }] }, 404],
  ['a batch that refers to it', 'POST', '_batch', { operations: [{ op: 'create', collection: 'parts', values: { note: 2 } }] }, 200],
  ['the history of another', 'GET', 'notes/2/history', undefined, 404],
  ['reverts it', 'POST', 'notes/2/history/00000000-0000-0000-0000-000000000000/revert', {}, 404],
  ['a tag that guesses', 'PATCH', 'notes/2', { title: 'x' }, 404, { 'if-match': '*' }],
  [
    'a claim in a header', 'PATCH', 'notes/2', { title: 'x' }, 404,
    { 'x-user-id': 'bob', 'x-hasura-role': 'admin', 'x-http-method-override': 'DELETE' },
  ],
  ['filters while it writes', 'PATCH', 'notes/1?secret=sa', { title: 'x' }, 400],
  ['a table of the service', 'PATCH', 'users/ada', { roles: ['admin'] }, 404],
  ['a table of the catalog', 'DELETE', 'pg_class/1', undefined, 404],
  ['a schema in the slug', 'DELETE', 'service.users/ada', undefined, 404],
];

test('nothing that one person sends changes or tells the rows of another', async t => {
  const { sql, send } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, NOTES, PARTS) } });
  await sql.unsafe(`
    insert into notes (id, owner, title, secret, hidden, code)
    values (1, 'ada', 'hers', 'sa', 'ha', 'a'), (2, 'bob', 'his', 'sb', 'hb', 'b');
    insert into parts (id, owner, note_id) values (11, 'ada', 1), (12, 'bob', 2);
    select setval(pg_get_serial_sequence(c, 'id'), 100) from unnest('{notes,parts}'::text[]) c`).simple();
  const ada = await tokenFor('ada');
  const before = await sql`select * from notes where owner = 'bob'`;
  const history = await sql`select id from service.history where entity_id = '2'`;
  for (const [what, method, path, body, status, headers = {}] of PROBES) {
    const answer = await send(method, path, body, { as: ada, headers });
    t.equal(answer.status, status, `${what}: ${method} ${path} ${JSON.stringify(answer.body)}`);
    t.notMatch(JSON.stringify(answer.body ?? ''), /"(his|sb|hb|sa|ha)"/, `${what} tells nothing`);
  }
  t.same(await sql`select * from notes where owner = 'bob'`, before, 'the row of bob is as it was');
  t.same(await sql`select id, owner, note_id from parts where owner = 'bob'`, [{ id: 12, owner: 'bob', note_id: 2 }]);
  t.same(await sql`select id from service.history where entity_id = '2'`, history, 'its history too');
  t.same(await sql`select owner, secret, hidden from notes where owner <> 'bob'
    and (secret is distinct from 'sa' or hidden is distinct from 'ha') and (secret is not null or hidden is not null)`, []);
  t.same(await sql`select distinct owner from notes order by 1`, [{ owner: 'ada' }, { owner: 'bob' }]);
});

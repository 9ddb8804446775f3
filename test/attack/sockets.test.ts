// Frames of one person that reach for the rows of another, for closed fields, and for what admins may: each probe with its answer.
import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { connect } from '../harness/socket.ts';
import { collections, createWriter } from '../write/client.ts';

const NOTES = {
  slug: 'notes', history: true, securityRules: [{ operations: ['select', 'update', 'delete', 'insert'], ownerField: 'owner' }],
  properties: {
    id: { type: 'number', isId: 'increment' }, owner: { type: 'string', autoValue: 'user_on_create' }, title: { type: 'string' },
    secret: { type: 'string', access: { read: ['admin'], write: ['admin'] } },
  },
};

type Probe = [what: string, type: string, payload: object, code: string | null];

/** Sent by ada: row 1 is hers, row 2 is bob's. Null: the frame is answered, and tells nothing of bob. */
const PROBES: Probe[] = [
  ['the list', 'FETCH_COLLECTION', { path: 'notes' }, null],
  ['the row of another', 'FETCH_ONE', { path: 'notes', id: 2 }, null],
  ['a filter by a closed field', 'FETCH_COLLECTION', { path: 'notes', filter: { secret: ['==', 'sb'] } }, 'FIELD_NOT_READABLE'],
  ['an order by a closed field', 'FETCH_COLLECTION', { path: 'notes', orderBy: 'secret' }, 'FIELD_NOT_READABLE'],
  ['a closed field', 'FETCH_COLLECTION', { path: 'notes', fields: ['secret'] }, 'FIELD_NOT_READABLE'],
  ['a count by a closed field', 'COUNT', { path: 'notes', filter: { secret: ['==', 'sb'] } }, 'FIELD_NOT_READABLE'],
  ['changes the row of another', 'SAVE', { path: 'notes', id: 2, values: { title: 'x' }, status: 'existing' }, 'NOT_FOUND'],
  ['writes a closed field', 'SAVE', { path: 'notes', id: 1, values: { secret: 'x' }, status: 'existing' }, 'FIELD_NOT_WRITABLE'],
  ['deletes the row of another', 'DELETE', { row: { path: 'notes', id: 2 } }, 'NOT_FOUND'],
  ['whether another row has a closed value', 'CHECK_UNIQUE_FIELD', { path: 'notes', name: 'secret', value: 'sb' }, 'FIELD_NOT_READABLE'],
  ['subscribes to the row of another', 'subscribe_one', { subscriptionId: 'one', path: 'notes', id: 2 }, null],
  [
    'subscribes by a closed field', 'subscribe_collection', { subscriptionId: 'closed', path: 'notes', filter: { secret: ['==', 'sb'] } },
    'FIELD_NOT_READABLE',
  ],
  ['a table of the service', 'FETCH_COLLECTION', { path: 'service.users' }, 'NOT_FOUND'],
  ['a table of the catalog', 'FETCH_COLLECTION', { path: 'pg_class' }, 'NOT_FOUND'],
  ['SQL', 'EXECUTE_SQL', { sql: 'select * from notes' }, 'FORBIDDEN'],
  ['SQL as another role', 'EXECUTE_SQL', { sql: 'select 1', options: { role: 'service_user' } }, 'FORBIDDEN'],
  ['the roles', 'FETCH_ROLES', {}, 'FORBIDDEN'], ['the databases', 'FETCH_DATABASES', {}, 'FORBIDDEN'],
  ['metadata of a table', 'FETCH_TABLE_METADATA', { tableName: 'notes' }, 'FORBIDDEN'],
  ['tables', 'FETCH_UNMAPPED_TABLES', {}, 'FORBIDDEN'],
  ['a branch', 'CREATE_BRANCH', { name: 'b' }, 'FORBIDDEN'],
  ['a token that is none', 'AUTHENTICATE', { token: 'eyJhbGciOiJub25lIn0.eyJ1aWQiOiJib2IifQ.' }, 'INVALID_TOKEN'],
];

test('no frame of one person changes or tells the rows of another', async t => {
  const service = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, NOTES) } });
  const { sql } = service;
  await sql.unsafe(`insert into notes (id, owner, title, secret) values (1, 'ada', 'hers', 'sa'), (2, 'bob', 'his', 'sb')`).simple();
  const before = await sql`select * from notes order by id`;
  const token = await tokenFor('ada');
  for (const [what, type, payload, code] of PROBES) {
    const socket = await connect(t, service, { token });
    if ('subscriptionId' in payload) socket.send({ type, payload });
    const answer = await ('subscriptionId' in payload
      ? socket.next({ subscriptionId: payload.subscriptionId })
      : socket.request(type, payload));
    t.equal(answer.payload?.error?.code ?? null, code, `${what}: ${JSON.stringify(answer)}`);
    t.notMatch(JSON.stringify(answer), /"(his|sb|sa)"/, `${what} tells nothing`);
    socket.raw.close();
  }
  t.same(await sql`select * from notes order by id`, before);
});

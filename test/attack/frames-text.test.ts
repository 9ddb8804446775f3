// Each string of each socket frame, and each name in it, replaced by text that no PostgreSQL can hold, or that is far too long.
import { test } from 'tap';
import { SERVICE_KEY, createService } from '../harness/service.ts';
import { connect, type Heard } from '../harness/socket.ts';
import { realtimeFile } from '../realtime/channels.ts';
import { collections } from '../write/client.ts';
import { HIGH, spoiled, TEXTS } from './texts.ts';

const id = { type: 'number', isId: 'increment' };
const NOTES = {
  slug: 'notes', history: true, softDelete: true, securityRules: [{ access: 'public' }], properties: {
    id, title: { type: 'string', validation: { unique: true } }, words: { type: 'array', of: { type: 'string' } },
    data: { type: 'map', keyValue: true }, deletedAt: { type: 'date' },
    topics: { type: 'relation', relation: { kind: 'manyToMany', target: 'topics' } },
  },
};
const TOPICS = { slug: 'topics', securityRules: [{ access: 'public' }], properties: { id, name: { type: 'string' } } };

const LIST = {
  path: 'notes', filter: { title: ['==', 'a'] }, logical: { type: 'or', conditions: [{ column: 'title', operator: '==', value: 'a' }] },
  orderBy: [['title', 'asc', 'last']], limit: 2, offset: 0, searchString: 'a', include: ['topics'], fields: ['id', 'title'],
};
const ROW = { path: 'notes', id: '1' };

/** A frame of every type with every member that holds text. */
const FRAMES: [type: string, ...payloads: object[]][] = [
  ['AUTHENTICATE', { token: 'x' }, { token: 'x', impersonate: 'u1' }],
  ['FETCH_COLLECTION', LIST, { path: 'notes', startAfter: 'x' },
    { path: 'notes', orderBy: 'title', order: 'asc', where: '{"title":["==","a"]}', deleted: 'include', distinct: 'true' },
    { path: 'notes', or: '(title.eq.a)', vectorSearch: { property: 'title', vector: '[1]', distance: 'l2', threshold: '1' } },
    { path: 'notes', include: { topics: { where: { name: ['==', 'a'] } } } },
    { path: 'notes/1/topics', fields: 'id' }],
  ['FETCH_ONE', { ...ROW, include: ['topics'], fields: ['title'] }],
  ['COUNT', LIST],
  ['SAVE', { path: 'notes', id: '1', status: 'existing', values: { title: 'b', words: ['c'], data: { d: 'e' } } },
    { path: 'notes', status: 'new', values: { title: 'n', topics: ['1'] } },
    { path: 'notes', status: 'new', upsert: true, onConflict: 'title', values: { title: 'a' } },
    { path: 'notes', status: 'new', upsert: true, onConflict: ['title'], values: { title: 'a' } },
    { path: 'notes', id: '1', status: 'new', upsert: true, values: { words: { $push: 'w' } } },
    { path: 'notes', id: 1, values: { words: { $push: 'w' }, data: { $merge: { x: 'y' } } } },
    { path: 'notes/1/topics', values: { name: 'n' } }],
  ['DELETE', { row: { path: 'notes', id: '2' }, hard: 'true' }, { row: { path: 'notes', id: '2' } }],
  ['CHECK_UNIQUE_FIELD', { path: 'notes', name: 'title', value: 'a', id: '1' }],
  ['subscribe_collection', { subscriptionId: 's', since: 'x', count: 'none', ...LIST }],
  ['subscribe_one', { subscriptionId: 's', since: 'x', ...ROW }],
  ['unsubscribe', { subscriptionId: 's' }],
  ['join_channel', { channel: 'room' }],
  ['broadcast', { channel: 'kept', event: 'e', payload: { a: 'b' } }, { channel: 'room', event: 'e', payload: 'text' }],
  ['presence_track', { channel: 'room', state: { name: 'n' } }],
  ['presence_state', { channel: 'room' }],
  ['channel_history', { channel: 'kept', sinceSeq: 0 }],
  ['presence_untrack', { channel: 'room' }],
  ['leave_channel', { channel: 'left' }],
  [
    'EXECUTE_SQL', { sql: 'select $1::text as t, $2::jsonb as j', options: { params: ['a', { b: 'c' }], role: 'service_user' } },
    { sql: 'select \'a\'; select 1', mode: 'script', options: { database: 'nowhere' } },
  ],
  ['FETCH_DATABASES', {}], ['FETCH_ROLES', {}], ['FETCH_APPLICATION_ROLES', {}], ['FETCH_CURRENT_DATABASE', {}],
  ['FETCH_UNMAPPED_TABLES', { mappedPaths: ['notes'] }],
  ['FETCH_TABLE_METADATA', { tableName: 'notes' }],
  ['CREATE_BRANCH', { name: 'b', options: { source: 'main' } }], ['DELETE_BRANCH', { name: 'b' }], ['LIST_BRANCHES', {}],
];

/** Frames of channels and subscriptions are not acknowledged: a frame behind them is. */
const BEHIND = 'FETCH_CURRENT_DATABASE';

test('no text in a frame is an error of the service', async t => {
  const service = await createService(t, {
    template: 'served',
    env: { SERVICE_COLLECTIONS_DIR: collections(t, NOTES, TOPICS), ...realtimeFile(t, { channels: [{ match: 'kept', limit: 5 }] }) },
  });
  await service.sql.unsafe(`insert into topics (name) values ('t'); insert into notes (title, words) values ('a', '{}'), ('z', '{}')`)
    .simple();
  for (const [type, ...payloads] of FRAMES) {
    const socket = await connect(t, service, { token: SERVICE_KEY });
    if (/channel|broadcast|presence/.test(type)) {
      for (const channel of ['room', 'kept']) socket.send({ type: 'join_channel', payload: { channel } });
    }
    const sent: { requestId: string; about: string }[] = [];
    const answers: Heard[] = [];
    for (const { value: payload, about } of payloads.flatMap(spoiled)) {
      const requestId = `${type} ${sent.length}`;
      sent.push({ requestId, about: `${type} ${about}` });
      socket.send({ type, requestId, payload });
      if (type === 'EXECUTE_SQL') answers.push(await socket.next({ requestId })); // few run at once
      else if (sent.length % 40 === 0) await socket.request(BEHIND);
    }
    t.equal((await socket.request(BEHIND)).type, `${BEHIND}_SUCCESS`, `${type}: the socket stays`);
    while (answers.length + socket.untaken.length < sent.length && ACKNOWLEDGED.test(type)) await socket.request(BEHIND);
    const faults = [...answers, ...socket.untaken].filter(isFault);
    const known = new Map(sent.map(({ requestId, about }) => [requestId, about]));
    t.same(faults.map(({ requestId = '', payload, ...more }) => `${known.get(requestId) ?? JSON.stringify(more)}: ${payload?.error?.code}`),
      [], `${type}: ${sent.length} frames`);
    socket.raw.close();
  }
});
const ACKNOWLEDGED = /^[A-Z]/;

function isFault({ payload }: Heard): boolean {
  return ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'SCHEMA_DRIFT'].includes(payload?.error?.code as string);
}

test('members of a frame that are no such text are refused as over HTTP', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, NOTES, TOPICS) } });
  const socket = await connect(t, service, { token: SERVICE_KEY });
  const cases: [type: string, payload: object, code: string][] = [
    ['SAVE', { path: 'notes', status: 'new', upsert: true, onConflict: HIGH, values: {} }, 'INVALID_PARAM'],
    ['SAVE', { path: 'notes', status: 'new', upsert: true, onConflict: ['title', HIGH], values: {} }, 'INVALID_PARAM'],
    ['SAVE', { path: 'notes', status: 'new', upsert: true, onConflict: ['\0'], values: {} }, 'INVALID_PARAM'],
    ['DELETE', { row: { path: 'notes', id: 1 }, hard: HIGH }, 'INVALID_HARD_PARAM'],
    ['DELETE', { row: { path: 'notes', id: 1 }, hard: '\0' }, 'INVALID_HARD_PARAM'],
    ['DELETE', { row: { path: 'notes', id: 1 }, hard: {} }, 'INVALID_HARD_PARAM'],
    ['DELETE', { row: { path: 'notes', id: HIGH } }, 'NOT_FOUND'],
    ['FETCH_COLLECTION', { path: 'notes', searchString: HIGH }, 'INVALID_PARAM'],
    ['EXECUTE_SQL', { sql: 'select $1', options: { params: [HIGH] } }, 'INVALID_INPUT'],
    ['EXECUTE_SQL', { sql: 'select $1', options: { params: ['\0'] } }, 'INVALID_INPUT'],
  ];
  for (const [type, payload, code] of cases) t.equal(await socket.refusal(type, payload), code, `${type} ${JSON.stringify(payload)}`);
});

test('a frame is answered with its id, of any text, and an unknown type is named', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, TOPICS) } });
  const socket = await connect(t, service, { token: SERVICE_KEY });
  for (const [name, text] of TEXTS) {
    socket.send({ type: BEHIND, requestId: text });
    t.equal((await socket.next({ requestId: text })).type, `${BEHIND}_SUCCESS`, name);
    socket.send({ type: text, requestId: name });
    t.equal((await socket.next({ requestId: name })).payload.error.code, 'UNKNOWN_MESSAGE_TYPE', name);
    socket.send({ type: 'subscribe_one', payload: { subscriptionId: text, path: 'nothing', id: 1 } });
    t.match((await socket.next({ type: 'ERROR' })).payload.error.code, text.length > 200 ? 'INVALID_INPUT' : 'NOT_FOUND', name);
  }
});

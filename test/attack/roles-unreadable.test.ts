// Fields that a caller may write and not read: no door tells whether a guess at the stored value is right.
import { test, type Test } from 'tap';
import { connect } from '../harness/socket.ts';
import { tokenFor, type Answer } from '../harness/service.ts';
import { collections, createWriter, type Writer } from '../write/client.ts';

const id = { type: 'number', isId: 'increment' };
const rules = [{ access: 'public' }];
const hr = { access: { read: ['hr'] } };
const PEOPLE = {
  slug: 'people', history: true, softDelete: true, securityRules: rules,
  callbacks: { afterRead: { function: 'public.mask', masks: ['masked', 'tally'] } },
  properties: {
    id, name: { type: 'string' }, deletedAt: { type: 'date' },
    secret: { type: 'string', validation: { unique: true }, ...hr },
    pay: { type: 'number', validation: { max: 1000 }, ...hr },
    words: { type: 'array', of: { type: 'string' }, validation: { max: 3 }, ...hr },
    masked: { type: 'string', validation: { unique: true } },
    tally: { type: 'number', validation: { max: 1000 } },
    kept: { type: 'string', validation: { unique: true }, excludeFromApi: true },
    file: { type: 'map', properties: { open: { type: 'string' }, closed: { type: 'string', ...hr } } },
    team: { type: 'relation', relation: { kind: 'belongsTo', target: 'teams' } },
  },
};
const TEAMS = {
  slug: 'teams', securityRules: rules,
  properties: {
    id, name: { type: 'string' },
    members: { type: 'relation', relation: { kind: 'hasMany', target: 'people', foreignKeyOnTarget: 'team_id' } },
  },
};

async function office(t: Test): Promise<Writer & { ann: string; hr: string }> {
  const writer = await createWriter(t, {
    template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, PEOPLE, TEAMS) },
    setup: `create function public.mask(shown json) returns json language sql immutable
      as $$ select (shown::jsonb || '{"masked": "***", "tally": 0}')::json $$;`,
  });
  await writer.sql.unsafe(`
    insert into teams (id, name) values (1, 'one');
    insert into people (id, name, secret, pay, words, masked, tally, kept, file, team_id)
      values (1, 'ada', 'S1', 700, '{x}', 'M1', 700, 'K1', '{"open": "o", "closed": "c"}', 1),
      (2, 'bob', 'S2', 5, '{}', 'M2', 5, 'K2', '{}', 1);
    select setval(pg_get_serial_sequence('people', 'id'), 100)`).simple();
  return { ...writer, ann: await tokenFor('ann'), hr: await tokenFor('hr', ['hr']) };
}

/** A stored value and one that is not, of each field, and what a door that could tell answers. */
const FIELDS: [field: string, right: string, wrong: string, told: string][] = [
  ['secret', 'S1', 'S9', 'FIELD_NOT_READABLE'],
  ['masked', 'M1', 'M9', 'FIELD_NOT_READABLE'],
  ['kept', 'K1', 'K9', 'INVALID_CONFLICT_TARGET'],
];

type Door = [name: string, ask: (send: Writer['send'], as: string, field: string, value: string) => Promise<Answer>];
const UPSERTS: Door[] = [
  ['on_conflict', (send, as, field, value) => send('POST', `people?on_conflict=${field}`, { [field]: value, name: 'x' }, { as })],
  ['onConflict in the query', (send, as, field, value) => send('POST', `people?onConflict=${field}`, { [field]: value }, { as })],
  ['with a second name', (send, as, field, value) => send('POST', `people?on_conflict=${field},id`, { [field]: value, id: 1 }, { as })],
  ['answered by nothing', (send, as, field, value) =>
    send('POST', `people?on_conflict=${field}`, { [field]: value }, { as, headers: { prefer: 'return=minimal' } })],
  ['a target that is not sent', (send, as, field) => send('POST', `people?on_conflict=${field}`, { name: 'x' }, { as })],
  [
    'bulk',
    (send, as, field, value) => send('POST', 'people/bulk', { rows: [{ [field]: value }], upsert: true, onConflict: [field] }, { as }),
  ],
  [
    'bulk, on_conflict',
    (send, as, field, value) => send('POST', 'people/bulk', { rows: [{ [field]: value }], upsert: true, on_conflict: [field] }, { as }),
  ],
  ['batch', (send, as, field, value) =>
    send('POST', '_batch', { operations: [{ op: 'upsert', collection: 'people', values: { [field]: value }, onConflict: [field] }] },
      { as })],
  ['batch, behind another', (send, as, field, value) => send('POST', '_batch', { operations: [
    { op: 'create', collection: 'teams', values: { name: 't' }, ref: 't' },
    { op: 'upsert', collection: 'people', values: { [field]: value, team: { $ref: 't.id' } }, on_conflict: [field] }] }, { as })],
];

test('no upsert goes by a field that its caller cannot read as it is stored', async t => {
  const { send, sql, ann, hr } = await office(t);
  const before = await sql`select * from people order by id`;
  for (const [field, right, wrong, told] of FIELDS) {
    for (const [door, ask] of UPSERTS) {
      for (const value of [right, wrong]) {
        const { status, body } = await ask(send, ann, field, value);
        t.same([status, body.error?.code], [400, told], `${door} by ${field}: ${value}`);
      }
    }
    const { body: { error } } = await send('POST', 'people?on_conflict=nope', {}, { as: ann });
    t.notMatch(JSON.stringify(error.details.targets), field, 'it is not proposed');
  }
  t.same(await sql`select * from people order by id`, before, 'nothing is written');
  const { status, body } = await send('POST', 'people?on_conflict=secret', { secret: 'S1', name: 'Ada' }, { as: hr });
  t.match({ status, body }, { status: 201, body: { id: 1, name: 'Ada' } }, 'a caller that reads the field may');
  t.equal((await send('POST', 'people?on_conflict=id', { id: 1, name: 'ada' }, { as: ann })).status, 201);
});

test('an upsert over a socket is held to the same', async t => {
  const { ann, ...service } = await office(t);
  const socket = await connect(t, service, { token: ann });
  for (const [field, right, wrong, told] of FIELDS) {
    for (const value of [right, wrong]) {
      for (const onConflict of [field, [field]]) {
        t.equal(await socket.refusal('SAVE', { path: 'people', status: 'new', upsert: true, onConflict, values: { [field]: value } }), told,
          `${field}: ${value}`);
      }
    }
  }
});

/** [a write, what it answers]: each that would break a bound with one stored value and keep it with another. */
const OPERATIONS: [body: object, told: string][] = [
  [{ pay: { $inc: 301 } }, 'FIELD_NOT_READABLE'],
  [{ tally: { $inc: 301 } }, 'FIELD_NOT_READABLE'],
  [{ words: { $push: 'a' } }, 'FIELD_NOT_READABLE'],
  [{ words: { $pull: 'x' } }, 'FIELD_NOT_READABLE'],
];

test('no bound of a field operation tells a value', async t => {
  const { send, ann } = await office(t);
  for (const [body, told] of OPERATIONS) {
    for (const row of [1, 2]) {
      const doors = [
        await send('PATCH', `people/${row}`, body, { as: ann }),
        await send('PATCH', 'people/bulk', { updates: [{ id: row, ...body }] }, { as: ann }),
        await send('POST', '_batch', { operations: [{ op: 'update', collection: 'people', id: row, values: body }] }, { as: ann }),
        await send('PATCH', `teams/1/members/${row}`, body, { as: ann }),
      ];
      for (const { status, body: answer } of doors) t.same([status, answer.error?.code], [400, told], `${JSON.stringify(body)} of ${row}`);
    }
  }
});

/** Queries of a list; %s is a value. `told` where it is not FIELD_NOT_READABLE. */
const QUERIES = [
  'F=%s', 'F=neq.%s', 'F=in.(%s)', 'F=like.%s', 'F=isnull.', 'or=(F.eq.%s,name.eq.x)', 'and=(F.eq.%s)', 'not=(F.eq.%s)',
  'where={"F":["==","%s"]}', 'orderBy=F', 'orderBy=F:desc', 'orderBy=[{"field":"F"}]', 'fields=id,F&distinct=true',
  'distinct=true&fields=F', 'include={"team":{"include":{"members":{"where":{"F":["==","%s"]}}}}}',
  'include={"team":{"include":{"members":{"orderBy":"F"}}}}',
].map(query => query.replaceAll('%s', 'V'));
const AGGREGATES = ['select=count(F)', 'select=max(F)', 'select=min(F)', 'select=count()&groupBy=F', 'select=count()&F=V'];

test('no read compares, orders, groups or counts by it', async t => {
  const { send, ann } = await office(t);
  const places = [
    ...QUERIES.map(query => ['people', query] as const), ...QUERIES.slice(0, 9).map(query => ['people/count', query] as const),
    ...AGGREGATES.map(query => ['people/aggregate', query] as const),
    ...QUERIES.slice(0, 14).map(query => ['teams/1/members', query] as const),
    ...['members.F=V', 'orderBy=max(members.F)'].map(query => ['teams', query] as const), ['people/1', 'F=V'] as const,
  ];
  for (const [field, right, wrong] of FIELDS) {
    for (const [path, query] of places) {
      const [one, other] = await Promise.all([right, wrong].map(value =>
        send('GET', `${path}?${query.replaceAll('F', field).replaceAll('V', value).replace(/[{}[\]"]/g, encodeURIComponent)}`, undefined,
          { as: ann })));
      t.same([one?.status, one?.body.error?.code, one?.body.data], [other?.status, other?.body.error?.code, other?.body.data],
        `${path}?${query} by ${field}: no difference`);
      if (field !== 'kept') t.equal(one?.body.error?.code, 'FIELD_NOT_READABLE', `${path}?${query} by ${field}`);
    }
  }
});

test('a refused value is reported in the words of its sender alone', async t => {
  const { send, sql, ann } = await office(t);
  await sql`create unique index people_name_pay on people (name, pay)`;
  await sql`update people set pay = 700`;
  const answers = [
    await send('PATCH', 'people/2', { name: 'ada' }, { as: ann }),
    await send('PATCH', 'people/1', { pay: 5000 }, { as: ann }),
    await send('POST', 'people', { secret: 'S1' }, { as: ann }),
    await send('POST', 'people?fields=secret', {}, { as: ann }),
    await send('PATCH', 'people/1', {}, { as: ann, headers: { 'if-match': '"0"' } }),
    await send('POST', '_batch', { operations: [
      { op: 'update', collection: 'people', id: 1, values: {}, ref: 'p' },
      { op: 'create', collection: 'teams', values: { name: { $ref: 'p.secret' } } },
    ] }, { as: ann }),
    await send('POST', '_batch', { operations: [
      { op: 'update', collection: 'people', id: 1, values: {}, ref: 'p' },
      { op: 'create', collection: 'teams', values: { name: { $ref: 'p.masked' } } },
    ] }, { as: ann }),
  ];
  for (const { status, body, text } of answers) {
    t.ok(status >= 400, `${status} ${body.error?.code}`);
    t.notMatch(text.replace(/"requestId":"[^"]*"/, ''), /S1|S2|M1|M2|K1|K2|\(ada, |700/, text);
  }
});

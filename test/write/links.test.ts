import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { collections, createWriter, type Writer } from './client.ts';

const open = [{ operation: 'all', access: 'public' }];
const id = { type: 'number', isId: 'increment' };
const name = { type: 'string' };
const people = { slug: 'people', properties: { id, name, secret: { type: 'string', excludeFromApi: true } }, securityRules: open };
const teams = {
  slug: 'teams', history: true, softDelete: true,
  properties: {
    id, name: { type: 'string', validation: { unique: true } }, deletedAt: { type: 'date' },
    changedAt: { type: 'date', autoValue: 'on_update' },
    members: {
      type: 'relation',
      relation: {
        kind: 'manyToMany', target: 'people',
        through: {
          table: 'members',
          properties: {
            role: { type: 'string', validation: { required: true, max: 5, trim: true } },
            rank: { type: 'number', defaultValue: 1, validation: { min: 1 } },
            joinedAt: { type: 'date', autoValue: 'on_create' },
          },
        },
      },
    },
    tasks: { type: 'relation', relation: { kind: 'hasMany', target: 'tasks' } },
    badge: { type: 'relation', relation: { kind: 'hasOne', target: 'badges' } },
  },
  securityRules: open,
};
const tasks = {
  slug: 'tasks', softDelete: true,
  properties: {
    id, title: { type: 'string', validation: { max: 5 } }, deletedAt: { type: 'date' },
    data: { type: 'map', columnType: 'json', keyValue: true },
    team: { type: 'relation', relation: { kind: 'belongsTo', target: 'teams' }, access: { write: ['lead'] } },
  },
  securityRules: open,
};
const badges = {
  slug: 'badges',
  properties: {
    id, team: { type: 'relation', relation: { kind: 'belongsTo', target: 'teams' }, validation: { required: true, unique: true } },
  },
  securityRules: open,
};

const ALL = [people, teams, tasks, badges];

async function createTeams(t: Parameters<typeof createWriter>[0] & Parameters<typeof collections>[0]): Promise<Writer & {
  members: (team: number) => Promise<unknown>;
}> {
  const writer = await createWriter(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ...ALL), AUTH_REQUIRE: 'false' } });
  await writer.sql`insert into people (name) select 'p' || n from generate_series(1, 4) n`;
  const members = async (team: number) =>
    (await writer.sql`select person_id, role, rank from members where team_id = ${team} order by 1`).map(row => Object.values(row));
  return { ...writer, members };
}

test('links carry their own properties, and these are judged as those of a row', async t => {
  const { send, refused, members } = await createTeams(t);
  const { body } = await send('POST', 'teams',
    { name: 'a', members: [{ id: 1, _pivot: { role: ' dev ', rank: 2 } }, { id: 2, name: 'not written', _pivot: { role: 'qa' } }] });
  t.equal(body.id, 1);
  t.strictSame(await members(1), [[1, 'dev', '2'], [2, 'qa', '1']]);
  t.equal((await send('PATCH', 'teams/1', { members: [{ id: 1, _pivot: { rank: 3 } }, 2, { id: 3, _pivot: { role: 'ops' } }] })).status,
    200);
  t.strictSame(await members(1), [[1, 'dev', '3'], [2, 'qa', '1'], [3, 'ops', '1']], 'what is not sent of a link stays');
  const shown = (await send('GET', 'teams/1?include=members')).body.members;
  t.equal((await send('PATCH', 'teams/1', { members: shown })).status, 200, 'what is shown can be sent back');
  t.strictSame(await members(1), [[1, 'dev', '3'], [2, 'qa', '1'], [3, 'ops', '1']]);
  await send('PATCH', 'teams/1', { members: [{ id: 1, _pivot: { rank: 4 } }, 2, 3, { id: '1', _pivot: { rank: 3 } }] });
  t.strictSame(await members(1), [[1, 'dev', '3'], [2, 'qa', '1'], [3, 'ops', '1']], 'of what is listed twice the last counts');
  t.strictSame(await refused('POST', 'teams', { members: [4, { id: 1, _pivot: { rank: 0, role: 'longer' } }] }), [
    400, 'VALIDATION_CONSTRAINT', 'members[0]._pivot.role: required', 'members[1]._pivot.rank: min', 'members[1]._pivot.role: max_length',
  ]);
  t.strictSame(await refused('PATCH', 'teams/1', { members: [{ id: 1, _pivot: { rank: 'x' } }, { id: 'x' }] }),
    [400, 'VALIDATION_INVALID_VALUE', 'members[0]._pivot.rank: type', 'members[1]: type']);
  t.strictSame(await refused('PATCH', 'teams/1', { members: [{ id: 1, _pivot: 5 }] }),
    [400, 'VALIDATION_CONSTRAINT', 'members[0]._pivot: object']);
  t.match((await send('PATCH', 'teams/1', { members: [{ id: 1, _pivot: { roll: 'x' } }] })).body.error,
    { code: 'VALIDATION_UNKNOWN_FIELDS', details: { fields: ['members[0]._pivot.roll'] } });
  t.strictSame(await refused('PATCH', 'teams/1', { members: [4] }), [400, 'PG_23502'],
    'required only where the row is new; then the database says it');
  t.strictSame(await members(1), [[1, 'dev', '3'], [2, 'qa', '1'], [3, 'ops', '1']]);
});

test('a link is changed by its path, and shown in nested lists and rows', async t => {
  const { send, refused, members } = await createTeams(t);
  await send('POST', 'teams', { name: 'a', members: [{ id: 1, _pivot: { role: 'dev', rank: 2 } }, { id: 2, _pivot: { role: 'qa' } }] });
  const changed = await send('PATCH', 'teams/1/members/1', { _pivot: { rank: 5 } });
  t.strictSame([changed.status, changed.text], [204, '']);
  t.strictSame(await members(1), [[1, 'dev', '5'], [2, 'qa', '1']]);
  t.match((await send('GET', 'teams/1/members/1')).body, { id: 1, name: 'p1', _pivot: { role: 'dev', rank: 5, joinedAt: String } });
  t.match((await send('GET', 'teams/1/members?orderBy=id&fields=name')).body.data,
    [{ id: 1, name: 'p1', _pivot: { rank: 5 } }, { id: 2, name: 'p2', _pivot: { rank: 1 } }]);
  t.notOk('_pivot' in (await send('GET', 'teams/1/members?fields=name&distinct=true')).body.data[0]);
  t.notOk('_pivot' in (await send('GET', 'people/1')).body);
  t.equal((await send('GET', 'teams/1/members/1')).headers.get('etag'), (await send('GET', 'people/1')).headers.get('etag'),
    'the tag is the row\'s');
  t.strictSame(await refused('PATCH', 'teams/1/members/3', { _pivot: { rank: 5 } }), [404, 'NOT_FOUND'],
    'a link that is not there is not made');
  t.strictSame(await refused('PATCH', 'teams/1/members/1', { _pivot: { rank: 0 } }), [400, 'VALIDATION_CONSTRAINT', '_pivot.rank: min']);
  t.strictSame(await refused('PATCH', 'teams/1/members/1', { _pivot: [] }), [400, 'VALIDATION_CONSTRAINT', '_pivot: object']);
  t.match((await send('PATCH', 'teams/1/members/1', { _pivot: {}, name: 'x' })).body.error,
    { code: 'VALIDATION_UNKNOWN_FIELDS', details: { fields: ['name'], path: 'teams/1/members/1' } });
  t.match((await send('PATCH', 'teams/1/members/1', { _pivot: { roll: 1 } })).body.error,
    { code: 'VALIDATION_UNKNOWN_FIELDS', details: { fields: ['_pivot.roll'], path: '_pivot' } });
  t.strictSame((await refused('POST', 'teams/1/members', { name: 'x', _pivot: { role: 'x' } })).slice(0, 2),
    [400, 'VALIDATION_UNKNOWN_FIELDS']);
  t.strictSame((await refused('PATCH', 'people/1', { _pivot: { role: 'x' } })).slice(0, 2), [400, 'VALIDATION_UNKNOWN_FIELDS']);
  t.strictSame(await refused('PATCH', 'teams/1/tasks/1', { _pivot: { role: 'x' } }), [400, 'RELATION_HAS_NO_PIVOT']);
  t.strictSame(await members(1), [[1, 'dev', '5'], [2, 'qa', '1']]);
});

test('links hold to what is declared for the foreign key and for the row', async t => {
  const { send, refused, sql } = await createTeams(t);
  const lead = await tokenFor('l', ['lead']);
  await send('POST', 'teams', { name: 'a' });
  await send('POST', 'teams', { name: 'b' });
  await sql`insert into tasks (title) values ('one'), ('two')`;
  t.strictSame((await refused('PATCH', 'teams/1', { tasks: [1] }, null)).slice(0, 2), [400, 'FIELD_NOT_WRITABLE']);
  t.strictSame((await refused('POST', 'teams/1/tasks', { title: 'x' }, null)).slice(0, 2), [400, 'FIELD_NOT_WRITABLE']);
  t.equal((await send('PATCH', 'teams/1', { tasks: [1, 2] }, { as: lead })).status, 200);
  t.equal((await send('POST', 'teams/1/tasks', { title: 'x', data: { b: 1, a: 2 } }, { as: lead })).status, 201);
  t.equal((await sql`select data::text as data from tasks where id = 3`)[0]?.['data'], '{"b":1,"a":2}', 'json as it was sent');
  t.strictSame(await refused('POST', 'teams/1/tasks', { title: 'longer' }, lead), [400, 'VALIDATION_CONSTRAINT', 'title: max_length']);
  t.equal((await send('PATCH', 'teams/1/tasks/1', { title: 'uno' }, { as: null })).status, 200, 'what is closed is the key, not the row');
  // Deleted softly a row is not there, and its link is left alone.
  t.equal((await send('DELETE', 'teams/1/tasks/1')).status, 204);
  t.ok((await sql`select deleted_at from tasks where id = 1`)[0]?.['deleted_at']);
  t.strictSame(await refused('PATCH', 'teams/1/tasks/1', { title: 'x' }), [404, 'NOT_FOUND']);
  t.strictSame(await refused('PATCH', 'teams/1', { tasks: [1] }, lead), [400, 'PG_23503', 'tasks[0]: foreign_key']);
  t.equal((await send('PATCH', 'teams/1', { tasks: [] }, { as: lead })).status, 200);
  t.strictSame((await sql`select id, team_id from tasks order by id`).map(row => row['team_id']), [1, null, null]);
  t.equal((await send('PATCH', 'teams/1/tasks/1', { deletedAt: null })).status, 200, 'restored within its parent');
  t.equal((await send('DELETE', 'teams/1/tasks/1?hard=true')).status, 204);
  t.equal((await sql`select count(*)::int as n from tasks`)[0]?.['n'], 2);
  // A required foreign key cannot be let go.
  t.equal((await send('PATCH', 'teams/1', { badge: null })).status, 200);
  await sql`insert into badges (team_id) values (1)`;
  t.strictSame((await refused('PATCH', 'teams/1', { badge: null })).slice(0, 2), [400, 'PG_23502']);
  t.equal((await send('PATCH', 'teams/2', { badge: 1 })).status, 200, 'but moved');
  t.equal((await send('DELETE', 'teams/1')).status, 204);
  t.strictSame(await refused('POST', 'teams/1/tasks', { title: 'x' }, lead), [404, 'NOT_FOUND'], 'below a deleted row is nothing');
  t.strictSame(await refused('PATCH', 'teams/1/members/1', {}), [404, 'NOT_FOUND']);
});

test('links go through every door of a write', async t => {
  const { send, refused, sql, members } = await createTeams(t);
  const dev = (n: number) => ({ id: n, _pivot: { role: 'dev' } });
  t.strictSame((await send('POST', 'teams/bulk', {
    rows: [{ name: 'a', members: [dev(1)] }, { name: 'b', members: [dev(1), dev(2)] }, { name: 'c' }],
  })).body.meta, { written: 3 });
  t.strictSame([await members(1), await members(2)], [[[1, 'dev', '1']], [[1, 'dev', '1'], [2, 'dev', '1']]]);
  t.match((await send('PATCH', 'teams/bulk', { updates: [{ id: 1, members: [] }, { id: 2, members: [9] }] })).body.error,
    { code: 'PG_23503', details: { index: 1, relation: 'members' } });
  t.strictSame(await members(1), [[1, 'dev', '1']], 'all or nothing');
  t.equal((await send('POST', 'teams?on_conflict=name', { name: 'a', members: [dev(3)] })).body.id, 1);
  t.strictSame(await members(1), [[3, 'dev', '1']]);
  const batch = await send('POST', '_batch', { operations: [
    { op: 'create', collection: 'people', ref: 'new', values: { name: 'p5' } },
    { op: 'create', collection: 'teams', values: { name: 'd', members: [{ id: { $ref: 'new.id' }, _pivot: { role: 'dev' } }] } },
  ] });
  t.strictSame(await members(batch.body.data[1].id), [[5, 'dev', '1']]);
  const headers = { 'Idempotency-Key': 'k' };
  const [first, again] = [
    await send('POST', 'teams/3/members', { name: 'p6' }, { headers }), await send('POST', 'teams/3/members', { name: 'p6' }, { headers }),
  ];
  t.strictSame([first.status, first.body, again.headers.get('idempotency-replayed')], [400, first.body, null],
    'refused, which uses no key up');
  t.equal(first.body.error.code, 'PG_23502', 'the link needs its role');
  const [attached, replayed] = [
    await send('POST', 'teams/3/tasks', { title: 'x' }, { headers }), await send('POST', 'teams/3/tasks', { title: 'x' }, { headers }),
  ];
  t.strictSame([attached.status, replayed.body, replayed.headers.get('idempotency-replayed')], [201, attached.body, 'true']);
  t.equal((await sql`select count(*)::int as n from tasks`)[0]?.['n'], 1);
  t.strictSame(await refused('POST', 'teams/1/tasks', { title: 'x' }), [201, undefined]);
  t.equal((await send('POST', 'teams/1/tasks', { title: 'y' }, { headers })).body.error.code, 'IDEMPOTENCY_KEY_REUSED',
    'the path is a part of what a key stands for');
  const minimal = await send('POST', 'teams', { name: 'm', members: [dev(1)] }, { headers: { Prefer: 'return=minimal' } });
  t.strictSame([minimal.status, minimal.text], [204, '']);
  t.strictSame((await sql`select count(*)::int as n from members m join teams t on t.id = m.team_id where t.name = 'm'`)[0]?.['n'], 1);
  const tag = (await send('GET', 'teams/1/tasks/2')).headers.get('etag') ?? '';
  t.equal((await send('PATCH', 'teams/1/tasks/2', { title: 'new' }, { headers: { 'If-Match': tag } })).status, 200);
  t.equal((await send('PATCH', 'teams/1/tasks/2', { title: 'newer' }, { headers: { 'If-Match': tag } })).status, 412);
  t.equal((await send('DELETE', 'teams/1/tasks/2', undefined, { headers: { 'If-Match': tag } })).status, 412);
  const person = (await send('GET', 'people/3')).headers.get('etag') ?? '';
  t.equal((await send('DELETE', 'teams/1/members/3', undefined, { headers: { 'If-Match': '"other"' } })).status, 412);
  t.equal((await send('DELETE', 'teams/1/members/3', undefined, { headers: { 'If-Match': person } })).status, 204);
  t.strictSame((await send('GET', 'teams/1/history')).body.data.map((entry: any) => entry.action), ['update', 'create'],
    'links are no part of history, but the row that was stamped is');
  t.strictSame((await send('PATCH', 'teams/1/tasks/2?fields=title', { title: { $set: 1 } })).body.error.code, 'INVALID_FIELD_OPERATION');
  t.strictSame((await send('PATCH', 'teams/1/tasks/2?fields=title', { title: 'z' })).body, { id: 2, title: 'z' });
});

test('a junction that was altered by hand is reported as broken', async t => {
  const { send, refused, sql } = await createTeams(t);
  await send('POST', 'teams', { name: 'a' });
  await sql`alter table members rename column person_id to somebody`;
  t.strictSame(await refused('PATCH', 'teams/1', { members: [1] }), [500, 'RELATION_MISCONFIGURED']);
  t.strictSame(await refused('POST', 'teams/1/members', { name: 'x' }), [500, 'RELATION_MISCONFIGURED']);
  t.strictSame(await refused('DELETE', 'teams/1/members/1'), [500, 'RELATION_MISCONFIGURED']);
  await sql`drop table members`;
  t.strictSame(await refused('PATCH', 'teams/1', { members: [1] }), [500, 'RELATION_MISCONFIGURED']);
  t.equal((await send('GET', 'teams/1/members')).body.error.code, 'RELATION_MISCONFIGURED');
  t.equal((await send('GET', 'teams/1?include=members')).body.error.code, 'RELATION_MISCONFIGURED');
  t.equal((await send('PATCH', 'teams/1', { name: 'b' })).status, 200, 'what does not need it is written');
});

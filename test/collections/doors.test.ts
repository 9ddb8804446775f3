// Every door through which a field could be seen or guessed, tried with fields that this caller may not read.
import t, { test } from 'tap';
import { collections, createWriter } from '../write/client.ts';
import { tokenFor } from '../harness/service.ts';

const everyone = [{ access: 'public' }];
const id = { type: 'number', isId: 'increment' };
const staff = { read: ['staff'] };
const belongsTo = (target: string) => ({ kind: 'belongsTo', target });
const people = {
  slug: 'people',
  properties: {
    id, name: { type: 'string' },
    badge: { type: 'string', access: staff, validation: { unique: true } },
    salary: { type: 'number', access: staff, validation: { max: 5e9 } },
    file: { type: 'map', access: staff },
    pin: { type: 'string', access: { read: [] } },
    hidden: { type: 'string', excludeFromApi: true },
    locked: { type: 'string', access: { write: [] } },
    boss: { type: 'relation', relation: belongsTo('people'), access: staff },
    ghost: { type: 'relation', relation: belongsTo('people'), excludeFromApi: true },
    team: { type: 'relation', relation: { kind: 'hasMany', target: 'people', foreignKeyOnTarget: 'boss_id' } },
    haunted: { type: 'relation', relation: { kind: 'hasMany', target: 'people', foreignKeyOnTarget: 'ghost_id' } },
    notes: { type: 'relation', relation: { kind: 'hasMany', target: 'notes' } },
  },
  securityRules: everyone,
};
const notes = {
  slug: 'notes',
  properties: { id, text: { type: 'string' }, person: { type: 'relation', relation: belongsTo('people'), validation: { required: true } } },
  securityRules: everyone,
};
const vaults = { slug: 'vaults', properties: { id, what: { type: 'string' } }, securityRules: [{ roles: ['staff'] }] };
const closets = { slug: 'closets', properties: { id }, disableDefaultPolicies: true };

/** As people and notes, but that what is closed is masked: it stands in rows, and is something else there. */
const members = {
  slug: 'members', callbacks: { afterRead: { function: 'app.masked', masks: ['card', 'score', 'file', 'mentor'] } },
  properties: {
    id, name: { type: 'string' }, card: { type: 'string', validation: { unique: true } }, score: { type: 'number' }, file: { type: 'map' },
    mentor: { type: 'relation', relation: belongsTo('members') },
    pupils: { type: 'relation', relation: { kind: 'hasMany', target: 'members', foreignKeyOnTarget: 'mentor_id' } },
    letters: { type: 'relation', relation: { kind: 'hasMany', target: 'letters' } },
  },
  securityRules: everyone,
};
const letters = {
  slug: 'letters', properties: { id, text: { type: 'string' }, member: { type: 'relation', relation: belongsTo('members') } },
  securityRules: everyone,
};
/** The stored value of what is masked is replaced wherever it stands. */
const setup = `create schema app; create function app.masked("row" json) returns json language sql stable return (
  select json_object_agg(key, case key when 'card' then '"****"' when 'score' then '0' when 'file'
    then '{}' when 'mentorId' then 'null' else value end)
  from json_each("row"));`;

/** None of them is part of any other text of an answer. */
const VALUES = {
  badge: 'BADGE7f3a', salary: '4987654321', file: 'FILE1b2c', pin: 'PIN91c2d', hidden: 'HIDDEN55aa', bossId: '7700123', ghostId: '7700456',
  card: 'CARD4111', score: '3123456789', mentorId: '7700789',
};
const service = await createWriter(t, {
  template: 'served', setup, env: { SERVICE_COLLECTIONS_DIR: collections(t, people, notes, vaults, closets, members, letters) },
});
await service.sql`insert into people (id, name) values (7700123, 'Boss'), (7700456, 'Ghost')`;
await service.sql`insert into people (id, name, badge, salary, file, pin, hidden, locked, boss_id, ghost_id)
  values (1, 'Ann', ${VALUES.badge}, ${VALUES.salary}, ${`{"k": "${VALUES.file}", "n": 1}`}::text::jsonb,
    ${VALUES.pin}, ${VALUES.hidden}, 'x', ${VALUES.bossId}, ${VALUES.ghostId})`;
await service.sql`insert into people (id, name, salary) values (2, 'Bob', 1)`;
await service.sql`insert into notes (text, person_id) values ('one', 1), ('two', 2)`;
await service.sql`insert into members (id, name) values (7700789, 'Mentor')`;
await service.sql`insert into members (id, name, card, score, file, mentor_id)
  values (1, 'Ann', ${VALUES.card}, ${VALUES.score}, ${`{"k": "${VALUES.file}", "n": 1}`}::text::jsonb, ${VALUES.mentorId})`;
await service.sql`insert into members (id, name, card) values (2, 'Bob', 'BOB')`;
await service.sql`select setval('members_id_seq', 100)`;
await service.sql`insert into letters (text, member_id) values ('one', 1), ('two', 2)`;
const reader = await tokenFor('r', ['writer']);
const holder = await tokenFor('s', ['staff']);

const json = (value: object) => encodeURIComponent(JSON.stringify(value));
const include = (relation: string, options: object) => `include=${json({ [relation]: options })}`;

/** Requests that would tell the value of a field of people, and what each answers for a name that is not there. */
function doors(field: string, value: string): [path: string, unknown: string][] {
  const UNKNOWN = 'UNKNOWN_FILTER_FIELD';
  return [
    [`people?${field}=${value}`, UNKNOWN], [`people?${field}=gt.0`, UNKNOWN], [`people?${field}=isnull.true`, UNKNOWN],
    [`people?where=${json({ [field]: ['!=', value] })}`, UNKNOWN], [`people?or=(name.eq.Ann,${field}.eq.${value})`, UNKNOWN],
    [`people?not=(${field}.eq.${value})`, UNKNOWN], [`people/count?${field}=${value}`, UNKNOWN],
    [`people/aggregate?select=count()&${field}=${value}`, UNKNOWN],
    [`people?orderBy=${field}`, 'UNKNOWN_ORDER_BY_FIELD'],
    [`people?orderBy=${json([{ field: 'name', direction: 'asc' }, { field, direction: 'desc' }])}&limit=1`, 'UNKNOWN_ORDER_BY_FIELD'],
    [`people/aggregate?select=max(${field})`, 'UNKNOWN_AGGREGATE_FIELD'],
    [`people/aggregate?select=count(${field})`, 'UNKNOWN_AGGREGATE_FIELD'],
    [`people/aggregate?select=count()&groupBy=${field}`, 'UNKNOWN_AGGREGATE_FIELD'], [`notes?person.${field}=${value}`, UNKNOWN],
    [`notes/count?person.${field}=${value}`, UNKNOWN], [`notes?or=(person.${field}.eq.${value})`, UNKNOWN],
    [`notes?where=${json({ [`person.${field}`]: ['==', value] })}`, UNKNOWN],
    [`notes?orderBy=max(person.${field})`, 'UNKNOWN_ORDER_BY_FIELD'],
    [`notes?orderBy=${encodeURIComponent(`min(person.${field})`)}:desc`, 'UNKNOWN_ORDER_BY_FIELD'],
    [`notes?${include('person', { where: { [field]: ['==', value] } })}`, UNKNOWN],
    [`notes?${include('person', { logical: `or(${field}.eq.${value})` })}`, UNKNOWN],
    [`notes?${include('person', { orderBy: [{ field, direction: 'asc' }] })}`, 'UNKNOWN_ORDER_BY_FIELD'],
    [`people?${include('notes', { include: { person: { where: { [field]: ['==', value] } } } })}`, UNKNOWN],
    [`notes/1/person?${field}=${value}`, UNKNOWN], [`people/1/notes?person.${field}=${value}`, UNKNOWN],
    [`people/1/notes?${include('person', { where: { [field]: ['==', value] } })}`, UNKNOWN],
  ];
}

/** Naming a field that is kept out of the API among `fields` gives nothing, as if it were not named. */
const fieldsDoors = (field: string) => [
  `people?fields=${field}`, `people/1?fields=name,${field}`, `people?distinct=true&fields=${field}`, `notes/1/person?fields=${field}`,
  `notes?${include('person', { fields: [field] })}`, `people/1/notes?${include('person', { fields: ['name', field] })}`,
];

type Asked = { status: number; text: string; body: any };
const ask = (path: string, as: string | null): Promise<Asked> => service.request(`/data/${path}`, { as });

/** Boss and Ghost are rows as well, and their keys are no secret. */
function hasNone(text: string): boolean {
  const shown = text.replaceAll(/"id":77\d+/g, '');
  return Object.values(VALUES).every(value => !shown.includes(value));
}

test('a field for some roles: every door is closed to others with one code, and open to its holders', async t => {
  for (const [field, column] of [['badge', 'badge'], ['salary', 'salary'], ['bossId', 'boss_id']] as const) {
    const value = VALUES[field];
    for (const name of new Set<string>([field, column])) {
      for (const path of [...doors(name, value).map(([path]) => path), ...fieldsDoors(name)]) {
        const refused = await ask(path, reader);
        t.same([refused.status, refused.body.error?.code], [400, 'FIELD_NOT_READABLE'], path);
        t.match(refused.body.error?.details,
          { collection: 'people', fields: [field], violations: [{ field, code: 'access', message: String }] }, path);
        t.ok(hasNone(refused.text), path);
      }
    }
    for (const path of [...doors(field, value).map(([path]) => path), ...fieldsDoors(field)]) {
      t.not((await ask(path, holder)).body.error?.code, 'FIELD_NOT_READABLE', path);
    }
  }
});

/** The same doors of members. */
const ofMembers = (path: string): string =>
  path.replaceAll('people', 'members').replaceAll('notes', 'letters').replaceAll('person', 'member');

test('a field that afterRead masks: every door is closed to everybody', async t => {
  for (const [field, column] of [['card', 'card'], ['score', 'score'], ['mentorId', 'mentor_id']] as const) {
    for (const name of new Set<string>([field, column])) {
      const more = [
        `members?distinct=true&fields=${name}`, `members/count?distinct=true&fields=name,${name}`,
        `letters/1/member?distinct=true&fields=${name}`,
        `members?fields=${name}&orderBy=${name}`,
      ];
      for (const path of [...doors(name, VALUES[field]).map(([path]) => ofMembers(path)), ...more]) {
        for (const as of [reader, undefined]) {
          const refused = await service.request(`/data/${path}`, as === undefined ? {} : { as });
          t.same([refused.status, refused.body.error?.code], [400, 'FIELD_NOT_READABLE'], path);
          t.match(refused.body.error?.details,
            { collection: 'members', fields: [field], violations: [{ field, code: 'access', message: 'It is masked for everybody.' }] },
            path);
          t.ok(hasNone(refused.text), path);
        }
      }
      for (const path of [`members?explain=true&${name}=1`, `members?explain=true&orderBy=${name}`]) {
        t.equal((await service.request(`/data/${path}`)).body.error?.code, 'FIELD_NOT_READABLE', path);
      }
    }
  }
  for (const path of [
    'members?file->k=FILE1b2c', 'members?or=(file->k.like.FILE*)', 'letters?member.file->k=FILE1b2c', 'members?file=isnull.true',
    `letters?${include('member', { where: { 'file->k': ['==', 'x'] } })}`,
  ]) {
    t.same((await service.request(`/data/${path}`)).body.error?.code, 'FIELD_NOT_READABLE', path);
  }
  for (const text of [VALUES.card, 'CARD', 'BOB']) {
    t.equal((await ask(`members?searchString=${text}`, holder)).body.meta.total, text === 'BOB' ? 1 : 0, text);
  }
  await t.rejects(service.sql`select service.list('members', '{"where": {"card": ["==", "x"]}}')`,
    { code: 'GW400', hint: 'FIELD_NOT_READABLE' });
  await t.rejects(service.sql`select service.list('members', '{"orderBy": [{"field": "score"}]}')`,
    { code: 'GW400', hint: 'FIELD_NOT_READABLE' });
});

test('relations by a masked column are closed on both sides, and a star leaves them out', async t => {
  const closed = ['mentor', 'pupils'].flatMap(relation => [
    `members/1?include=${relation}`, `members/1/${relation}`, `members?${relation}=7700789`, `members?${relation}.name=Mentor`,
    `members?${relation}=isnull.true`, `members?orderBy=count(${relation})`, `members/1/${relation}/1/letters`,
    `letters?${include('member', { include: { [relation]: {} } })}`,
  ]);
  for (const path of closed) {
    t.same([(await ask(path, holder)).body.error?.code, (await service.request(`/data/${path}`)).body.error?.details?.fields],
      ['FIELD_NOT_READABLE', ['mentorId']], path);
  }
  t.same(Object.keys((await ask('members/1?include=*', holder)).body), ['id', 'name', 'card', 'score', 'file', 'mentorId', 'letters']);
  t.same((await ask('members?include=nothing', holder)).body.error.details.validRelations, ['letters']);
});

test('masked fields are offered for answers alone', async t => {
  const offered = async (path: string): Promise<string[]> => (await ask(path, holder)).body.error?.details?.validFields;
  t.same(await offered('members?fields=nothing'), ['id', 'name', 'card', 'score', 'file', 'mentorId']);
  for (const path of [
    'members?nothing=1', 'members?orderBy=nothing', 'members/aggregate?select=sum(nothing)',
    'members/aggregate?select=count()&groupBy=nothing',
    'letters?member.nothing=1',
  ]) t.same(await offered(path), ['id', 'name'], path);
});

test('masked fields are shown as afterRead returns them, in answers of writes too', async t => {
  const ann = { id: 1, name: 'Ann', card: '****', score: 0, file: {}, mentorId: null };
  t.same((await ask('members/1', reader)).body, ann);
  t.same((await ask('members?name=Ann', reader)).body.data, [ann]);
  t.same((await ask('members/1?fields=card,score', reader)).body, { id: 1, card: '****', score: 0 });
  t.same((await ask('letters/1?include=member', reader)).body.member, ann);
  t.same((await ask(`letters?limit=1&orderBy=id&${include('member', { fields: ['card'] })}`, reader)).body.data[0].member,
    { id: 1, card: '****' });
  t.same((await ask('letters/1/member', reader)).body.data, [ann]);
  const { send } = service;
  const sent = { name: 'Cid', card: `${VALUES.card}x`, score: Number(VALUES.score), file: { k: VALUES.file } };
  const written = [
    await send('POST', 'members', sent, { as: reader }), await send('PATCH', 'members/1', { name: 'Ann' }, { as: reader }),
    await send('PATCH', 'members/1?fields=card', { name: 'Ann' }, { as: reader }),
    await send('PUT', 'members/1', { name: 'Ann' }, { as: reader }), await send('PATCH', 'members/1', {}, { as: reader }),
  ];
  t.same(written.map(({ status }) => status), [201, 200, 200, 200, 200]);
  for (const { text, body } of written) t.ok(hasNone(text) && body.card === '****', text);
  const [stored] = await service.sql`select card, score from members where id = 1`;
  t.same({ ...stored }, { card: VALUES.card, score: VALUES.score }, 'stored as ever');
  const repeated = await send('POST', 'members', { name: 'Eve', card: 'BOB' });
  t.equal(repeated.status, 409);
});

test('the API document offers no filter by what is masked', async t => {
  const { body } = await service.request('/docs');
  const names = body.paths['/data/members'].get.parameters.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1)) as string[];
  t.same(names.filter(name => /^filter\./.test(name)), ['filter.id', 'filter.name'], names.join());
  const { card, name } = body.components.schemas.Member.properties;
  t.match([card.description, name.description], [/^Masked: /, undefined]);
});

test('parts of a JSON field', async t => {
  for (const path of [
    'people?file->k=FILE1b2c', `people?where=${json({ 'file->n': ['==', 1] })}`, 'people?or=(file->k.like.FILE*)',
    'notes?person.file->k=FILE1b2c', 'people?fields=file', `notes?${include('person', { where: { 'file->k': ['==', 'x'] } })}`,
  ]) {
    t.same([(await ask(path, reader)).body.error?.code, (await ask(path, holder)).status], ['FIELD_NOT_READABLE', 200], path);
  }
  t.equal((await ask('people?hidden->k=1', holder)).body.error?.code, 'UNKNOWN_FILTER_FIELD');
});

test('a field without readers is hidden from the service key too', async t => {
  for (const path of [...doors('pin', VALUES.pin).map(([path]) => path), ...fieldsDoors('pin')]) {
    for (const as of [reader, holder, undefined]) {
      const refused = await service.request(`/data/${path}`, as === undefined ? {} : { as });
      t.same([refused.status, refused.body.error?.code, hasNone(refused.text)], [400, 'FIELD_NOT_READABLE', true], path);
    }
  }
});

test('a field that is kept out of the API is not there, for anybody', async t => {
  for (const [field, value] of [
    ['hidden', VALUES.hidden], ['ghostId', VALUES.ghostId], ['ghost_id', VALUES.ghostId], ['ghost', VALUES.ghostId],
  ] as const) {
    for (const [path, unknown] of doors(field, value)) {
      const refused = await service.request(`/data/${path}`);
      t.same([refused.status, refused.body.error?.code], [400, unknown], path);
      t.notOk(JSON.stringify(refused.body.error.details.validFields ?? []).includes(field), path);
      t.ok(hasNone(refused.text), path);
    }
  }
  for (const field of ['hidden', 'ghostId'] as const) {
    for (const path of fieldsDoors(field)) {
      t.notMatch((await service.request(`/data/${path}`)).text.replaceAll(/"id":77\d+/g, ''), VALUES[field], path);
    }
  }
});

test('relations: to follow one is to read the columns on both sides', async t => {
  const closed = ['boss', 'team'].flatMap(relation => [
    `people/1?include=${relation}`, `people?${include(relation, {})}`, `people?include=notes,${relation}`,
    `people?include=${relation}.notes`, `people/1/${relation}`, `people/7700123/${relation}`, `people?${relation}=7700123`,
    `people?${relation}.name=Boss`, `people?${relation}=isnull.true`, `people?orderBy=count(${relation})`,
    `people?orderBy=max(${relation}.name)`, `people/1/${relation}/1/notes`, `notes?${include('person', { include: { [relation]: {} } })}`,
    `people/1/notes/1/person?include=${relation}`,
  ]);
  for (const path of closed) {
    const refused = await ask(path, reader);
    t.same([refused.status, refused.body.error?.code, refused.body.error?.details?.fields], [400, 'FIELD_NOT_READABLE', ['bossId']], path);
    t.not((await ask(path, holder)).body.error?.code, 'FIELD_NOT_READABLE', path);
  }
  t.same(Object.keys((await ask('people/1?include=*', reader)).body), ['id', 'name', 'locked', 'notes'], 'a star takes what may be seen');
  t.match((await ask('people/1?include=boss', holder)).body.boss, { name: 'Boss' });
  for (const relation of ['ghost', 'haunted']) {
    for (const [path, status, code] of [
      [`people/1?include=${relation}`, 400, 'UNKNOWN_RELATION'], [`people/1/${relation}`, 404, 'UNKNOWN_RELATION'],
      [`people?${relation}=1`, 400, 'UNKNOWN_FILTER_FIELD'], [`people?${relation}.name=x`, 400, 'UNKNOWN_FILTER_FIELD'],
      [`people?orderBy=count(${relation})`, 400, 'UNKNOWN_ORDER_BY_FIELD'],
    ] as const) {
      const refused = await service.request(`/data/${path}`);
      t.same([refused.status, refused.body.error?.code], [status, code], path);
      t.notMatch(JSON.stringify(refused.body.error.details?.validRelations ?? ''), /ghost|haunted/);
    }
  }
});

test('rows, searches, cursors and errors show what may be read and no more', async t => {
  for (const path of [
    'people', 'people/1', 'people?include=*', 'notes?include=person', 'notes/1/person', 'people/1/notes?include=person',
    'people?distinct=true&fields=name', 'people?limit=1&orderBy=name', 'people?nothing=1', 'people?include=nothing',
    'people/aggregate?select=max(nothing)', 'people?orderBy=nothing',
  ]) {
    const asReader = await ask(path, reader);
    t.ok(hasNone(asReader.text), path);
    t.notMatch(asReader.text, /"(badge|salary|file|pin|hidden|bossId|ghostId)"/, path);
  }
  t.same(Object.keys((await ask('people/1', holder)).body).sort(), ['badge', 'bossId', 'file', 'id', 'locked', 'name', 'salary']);
  for (const [text, rows] of [['Ann', 1], [VALUES.badge.slice(0, 6), 0], [VALUES.pin, 0], [VALUES.hidden, 0]] as const) {
    t.equal((await ask(`people?searchString=${text}`, reader)).body.meta.total, rows, text);
  }
  t.equal((await ask(`people?searchString=${VALUES.badge}`, holder)).body.meta.total, 1);
  t.equal((await service.request(`/data/people?searchString=${VALUES.hidden}`)).body.meta.total, 0);
  const { nextCursor } = (await ask('people?orderBy=salary&limit=1', holder)).body.meta;
  const taken = await ask(`people?orderBy=salary&limit=1&after=${nextCursor as string}`, reader);
  t.equal(taken.body.error?.code, 'FIELD_NOT_READABLE', 'a cursor opens nothing that its order does not');
  t.same((await ask('people?nothing=1', reader)).body.error.details.validFields, ['id', 'name', 'locked']);
});

test('writes: bodies, answers and refusals', async t => {
  const { send } = service;
  const answer = async (method: 'POST' | 'PATCH', path: string, body: object, as?: string) => {
    const { status, body: got, text } = await send(method, path, body, as === undefined ? {} : { as });
    return { status, code: got?.error?.code as unknown, text, body: got as Record<string, unknown> };
  };
  for (const field of ['hidden', 'locked', 'ghostId', 'ghost', 'ghost_id']) {
    for (const as of [reader, holder, undefined]) {
      t.same((await answer('PATCH', 'people/1', { [field]: 'x' }, as)).code, 'VALIDATION_EXCLUDED_FIELDS', field);
    }
  }
  const written = await answer('PATCH', 'people/1', { name: 'Anna', pin: VALUES.pin }, reader);
  t.same([written.status, Object.keys(written.body)], [200, ['id', 'name', 'locked']], 'written, and not shown');
  t.equal((await answer('PATCH', 'people/1?fields=salary', {}, reader)).code, 'FIELD_NOT_READABLE');
  t.notMatch((await answer('PATCH', 'people/1?fields=hidden', {})).text, VALUES.hidden);
  for (const refused of [
    await answer('POST', 'people', { nothing: 1 }, reader), await answer('POST', 'people', { salary: 6e9 }, reader),
    await answer('POST', 'people', { badge: VALUES.badge }, reader), await answer('POST', 'people', { id: 1 }, reader),
    await answer('POST', 'notes', { person: 99 }, reader), await answer('POST', 'people', { salary: 'x' }, reader),
  ]) {
    t.ok(refused.status === 400 || refused.status === 409, refused.text);
    t.ok(hasNone(refused.text), refused.text);
  }
});

test('the API document and the list of collections', async t => {
  const { text: document, body } = await service.request('/docs');
  t.notMatch(document, /hidden|ghost|haunted/i);
  t.notOk('pin' in body.components.schemas.Person.properties, 'what nobody reads is in no row');
  const list = async (as: string | null) =>
    (await service.request('/data/collections', { as })).body.data.map(({ slug }: { slug: string }) => slug) as string[];
  t.same(await list(reader), ['letters', 'members', 'notes', 'people']);
  t.same(await list(holder), ['letters', 'members', 'notes', 'people', 'vaults']);
  t.same((await service.request('/data/collections')).body.data.map(({ slug }: { slug: string }) => slug),
    ['letters', 'members', 'notes', 'people', 'vaults'], 'not what is closed to admin too');
});

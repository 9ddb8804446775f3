// A row can be made again what an entry of its history says, by an update like any other.
import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { createHistorian, everyone, id, notes, type Historian } from './history.ts';

const NONE = '0d3c1a52-2f57-4f4e-9c1b-5a1f3c1e7a10';

/** The path that reverts a row to the nth of its entries, the oldest being 1. */
async function revertOf({ sql }: Historian, row: string, n: number): Promise<string> {
  const [slug = '', entity = ''] = row.split('/');
  const [found] = await sql`select id from service.history where collection = ${slug} and entity_id = ${entity}
    order by number offset ${n - 1} limit 1`;
  return `${row}/history/${String(found?.['id'])}/revert`;
}

test('an ordinary update: stamps, callbacks and an entry of its own', async t => {
  const historian = await createHistorian(t, [{
    ...notes, callbacks: { beforeSave: 'app.shout' },
    properties: {
      ...notes.properties, updatedAt: { type: 'date', autoValue: 'on_update' }, updatedBy: { type: 'string', autoValue: 'user_on_update' },
    },
  }], { setup: `create schema app; create function app.shout(op text, old jsonb, new jsonb) returns jsonb
    language sql as $$ select jsonb_build_object('text', upper(new ->> 'text')) $$` });
  const { send, told, historyOf } = historian;
  await send('POST', 'notes', { text: 'one', stars: 1 });
  await send('PATCH', 'notes/1', { text: 'two', stars: 2 });
  const before = (await send('GET', 'notes/1')).body.updatedAt as string;
  const path = await revertOf(historian, 'notes/1', 1);
  const answer = await send('POST', path, undefined, { as: await tokenFor('ann') });
  t.equal(answer.status, 200, answer.text);
  t.match(answer.body, { data: { id: 1, text: 'ONE', stars: 1, updatedBy: 'ann' }, meta: { reverted_from: path.split('/')[3] } });
  t.same(Object.keys(answer.body as object), ['data', 'meta']);
  t.ok((answer.body.data.updatedAt as string) >= before);
  t.same((await told('notes/1', 'text', 'stars')).at(-1)?.filter((_, n) => n !== 1), ['update', 'ONE', 1]);
  t.equal((await historyOf('notes/1'))[0]?.updated_by, 'ann');
  t.equal((await send('POST', path)).status, 200, 'again');
});

test('refusals', async t => {
  const historian = await createHistorian(t,
    [notes, { slug: 'plain', properties: { id }, securityRules: everyone }, { ...notes, slug: 'drafts', readOnly: true }],
    { setup: 'create table drafts (id int primary key, text text, stars numeric)' });
  const { send, refused, sql } = historian;
  await sql`insert into notes (text) values ('one'), ('other')`;
  await sql`insert into plain default values`;
  await sql`insert into drafts values (1, 'one', 2)`;
  await sql`update drafts set text = 'two'`;
  const own = await revertOf(historian, 'notes/1', 1);
  t.same(await refused('POST', `notes/1/history/${NONE}/revert`), [404, 'NOT_FOUND']);
  t.same(await refused('POST', 'notes/1/history/x/revert'), [404, 'NOT_FOUND']);
  t.same(await refused('POST', own.replace('notes/1', 'notes/2')), [400, 'BAD_REQUEST'], 'of another row');
  t.same(await refused('POST', own.replace('notes/1', 'notes/3')), [404, 'NOT_FOUND']);
  t.same(await refused('POST', own.replace('notes/1', 'notes/x')), [404, 'NOT_FOUND']);
  t.same(await refused('POST', own.replace('notes/1', 'none/1')), [404, 'NOT_FOUND']);
  t.same(await refused('POST', own.replace('notes/1', 'plain/1')), [400, 'BAD_REQUEST'], 'without history');
  t.same(await refused('POST', await revertOf(historian, 'drafts/1', 1)), [403, 'WRITE_DENIED'], 'read-only');
  t.same(await refused('POST', `${own}?fields=text`), [400, 'INVALID_PARAM']);
  t.same(await refused('POST', own, undefined, null), [401, 'UNAUTHORIZED']);
  t.match((await send('POST', `notes/1/history/${NONE}/revert`)).body.error.details, { collection: 'notes' });
  await sql`alter table notes add unique (text)`;
  await sql`update notes set text = 'two' where id = 1`;
  await sql`update notes set text = 'one' where id = 2`;
  t.same(await refused('POST', own), [409, 'PG_23505', 'text: unique'], 'what constraints say holds');
  t.equal((await send('GET', 'notes/1')).body.text, 'two');
  await sql`alter table notes rename column text to body`;
  t.same(await refused('POST', own), [500, 'SCHEMA_DRIFT']);
});

test('row security decides: unseen is 404, not to be written 403', async t => {
  const historian = await createHistorian(t, [{ ...notes, properties: { ...notes.properties, owner: { type: 'string' } }, securityRules: [
    { operation: 'select', using: '{owner} = (select service.uid()) or {stars} > 0' },
    { operations: ['insert', 'update'], ownerField: 'owner' },
  ] }]);
  const { sql, refused, send } = historian;
  await sql`insert into notes (text, owner, stars) values ('one', 'ann', 0)`;
  await sql`update notes set text = 'two'`;
  const path = await revertOf(historian, 'notes/1', 1);
  const [ann, bob] = [await tokenFor('ann'), await tokenFor('bob')];
  t.same(await refused('POST', path, undefined, bob), [404, 'NOT_FOUND']);
  await sql`update notes set stars = 1`;
  t.same(await refused('POST', path, undefined, bob), [403, 'WRITE_DENIED']);
  t.equal((await send('POST', path, undefined, { as: ann })).body.data.text, 'one');
  await sql`update notes set owner = 'bob'`;
  t.same(await refused('POST', await revertOf(historian, 'notes/1', 1), undefined, bob), [403, 'WRITE_DENIED'], 'nor may it be given away');
});

test('closed fields: left out where they are unchanged, refused where they would change, left alone where they cannot be read', async t => {
  const historian = await createHistorian(t, [{
    ...notes, properties: {
      id, text: { type: 'string' }, rank: { type: 'number', access: { write: ['boss'] } }, fixed: { type: 'number', access: { write: [] } },
      wage: { type: 'number', access: { read: ['boss'] } }, secret: { type: 'string', excludeFromApi: true },
    },
  }]);
  const { sql, send, refused } = historian;
  await sql`insert into notes (text, rank, fixed, wage, secret) values ('one', 1, 1, 1, 'a')`;
  await sql`update notes set text = 'two', wage = 2, secret = 'b'`;
  const [ann, boss] = [await tokenFor('ann'), await tokenFor('boss', ['boss'])];
  const path = await revertOf(historian, 'notes/1', 1);
  t.same((await send('POST', path, undefined, { as: ann })).body.data, { id: 1, text: 'one', rank: 1, fixed: 1 });
  t.match(await sql`select text, wage::int, secret from notes`, [{ text: 'one', wage: 2, secret: 'b' }]);
  t.same((await send('POST', path, undefined, { as: boss })).body.data, { id: 1, text: 'one', rank: 1, fixed: 1, wage: 1 });
  await sql`update notes set rank = 2, text = 'three'`;
  t.same(await refused('POST', path, undefined, ann), [400, 'FIELD_NOT_WRITABLE', 'rank: access']);
  t.equal((await send('POST', path, undefined, { as: boss })).body.data.rank, 1);
  await sql`update notes set fixed = 2`;
  t.same(await refused('POST', path, undefined, boss), [400, 'VALIDATION_EXCLUDED_FIELDS', 'fixed: access']);
  t.match(await sql`select fixed::int, secret from notes`, [{ fixed: 2, secret: 'b' }]);
  await sql`update service.history set snapshot = '{"id": 1, "wage": 5}' where number = 1`;
  t.same(await refused('POST', path, undefined, ann), [400, 'BAD_REQUEST'], 'nothing in it for this caller');
});

test('a deleted row comes back; one that is in the trash stays there unless the entry is of before', async t => {
  const historian = await createHistorian(t,
    [{ ...notes, softDelete: true, properties: { ...notes.properties, deletedAt: { type: 'date' } } }]);
  const { sql, send, refused, told } = historian;
  await send('POST', 'notes', { text: 'one' });
  await send('PATCH', 'notes/1', { text: 'two' });
  await send('DELETE', 'notes/1');
  t.match((await send('POST', await revertOf(historian, 'notes/1', 1))).body.data, { text: 'one', deletedAt: null });
  t.equal((await send('GET', 'notes/1')).body.text, 'one');
  await send('DELETE', 'notes/1');
  t.match((await send('POST', await revertOf(historian, 'notes/1', 3))).body.data, { text: 'two', deletedAt: null },
    'the entry of the delete has the row as it was');
  t.same((await told('notes/1', 'text')).slice(3),
    [['update', 'text deletedAt', 'one'], ['delete', null, 'one'], ['update', 'text deletedAt', 'two']]);
  await sql`insert into notes (id, text, deleted_at) values (9, 'never there', now())`;
  t.same(await refused('POST', await revertOf(historian, 'notes/9', 1)), [404, 'NOT_FOUND'], 'still in the trash');
  await sql`update notes set deleted_at = null where id = 9`;
  t.same(await refused('POST', await revertOf(historian, 'notes/9', 1)), [400, 'FIELD_NOT_WRITABLE', 'deletedAt: soft_delete'],
    'an update may not delete');
});

test('rules of a request do not hold, and no value is an operation', async t => {
  const historian = await createHistorian(t,
    [{ ...notes, properties: { id, text: { type: 'string', validation: { min: 3 } }, map: { type: 'map' } } }]);
  const { sql, send, refused } = historian;
  await sql`insert into notes (text, map) values ('x', '{"$inc": 1}')`;
  await sql`update notes set text = 'longer', map = '{}'`;
  t.same(await refused('PATCH', 'notes/1', { text: 'x' }), [400, 'VALIDATION_CONSTRAINT', 'text: min_length']);
  t.same((await send('POST', await revertOf(historian, 'notes/1', 1))).body.data, { id: 1, text: 'x', map: { $inc: 1 } });
});

test('every type comes back as it was stored', async t => {
  const historian = await createHistorian(t, [{
    ...notes, properties: {
      id: { type: 'string', isId: 'uuid' }, big: { type: 'number' }, ratio: { type: 'number', columnType: 'double precision' },
      at: { type: 'date' }, local: { type: 'date', timezone: false }, day: { type: 'date', mode: 'date' },
      hour: { type: 'date', columnType: 'time' }, list: { type: 'array', of: { type: 'string' } }, map: { type: 'map' },
      json: { type: 'map', columnType: 'json' }, bytes: { type: 'binary' }, kind: { type: 'string', enum: ['a', 'b'] },
      author: { type: 'relation', relation: { kind: 'belongsTo', target: 'authors' } },
    },
  }, { slug: 'authors', properties: { id, name: { type: 'string' } }, securityRules: everyone }]);
  const { sql, send } = historian;
  await sql`insert into authors (name) values ('ann')`;
  const values = `12345678901234567890.1200, 0.1::float8 + 0.2, '2020-01-01 00:00:00.12+00', '-infinity', '2020-02-02', '10:11', '{a,"b `
    + `c",NULL}', '{"a": [1.50, null]}', '{"b": 1}', '\\x00ff', 'b', 1`;
  await sql.unsafe(`insert into notes (big, ratio, at, local, day, hour, list, map, json, bytes, kind, author_id) values (${values})`);
  const stored = async () => (await sql`select notes::text as row from notes`)[0]?.['row'] as string;
  const first = await stored();
  await sql`update notes set big = 'NaN', ratio = null, at = now(), local = now(), day = now(),
    hour = '1:00', list = '{}', map = null, json = null, bytes = '', kind = 'a', author_id = null`;
  const [row] = await sql`select id from notes`;
  const path = await revertOf(historian, `notes/${String(row?.['id'])}`, 1);
  t.equal((await send('POST', path)).status, 200);
  t.equal(await stored(), first);
  const [entry] = await sql`select id from service.history order by number offset 1 limit 1`;
  const reverted = (await sql`select service.revert('notes', ${String(row?.['id'])}, ${entry?.['id'] as string})
    as answer`)[0]?.['answer'] as { data: { big: unknown }; meta: object };
  t.match(reverted, { data: { big: 'NaN', list: [], author: undefined }, meta: { reverted_from: entry?.['id'] as string } }, 'and in psql');
  t.equal((await sql`select current_user = session_user as same, service.uid() is null as nobody`)[0]?.['same'], true);
});

test('an entry of the row that had the key before is of another row', async t => {
  const historian = await createHistorian(t, [notes]);
  const { sql, send, refused } = historian;
  await sql`insert into notes (text) values ('of ann')`;
  const path = await revertOf(historian, 'notes/1', 1);
  await sql`delete from notes`;
  t.same(await refused('POST', path), [404, 'NOT_FOUND']);
  await sql`insert into notes (id, text) values (1, 'of bob')`;
  t.same(await refused('POST', path), [400, 'BAD_REQUEST']);
  t.equal((await send('GET', 'notes/1')).body.text, 'of bob');
});

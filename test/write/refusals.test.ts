// Every way in which a write is refused: status, code and details over HTTP.
import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { collections, createWriter, open, type Writer } from './client.ts';

type Row = [method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown, status: number, code: string, details?: object];

const posts = {
  slug: 'posts',
  properties: {
    id: { type: 'number', isId: 'increment' },
    title: { type: 'string', validation: { required: true, max: 10 } },
    token: { type: 'string', excludeFromApi: true },
    pay: { type: 'number', access: { read: ['admin'], write: ['keeper'] } },
    views: { type: 'number', columnType: 'integer' },
  },
  callbacks: { afterSave: 'public.again' },
  securityRules: [{ operation: 'select', access: 'public' }, { operations: ['insert', 'update', 'delete'], roles: ['admin'] }],
};

const AGAIN = `
  create function again(op text, old jsonb, new jsonb) returns void language plpgsql as $$ begin
    if new ->> 'title' = 'again' then insert into public.posts (title) values ('again'); end if; end $$`;

const TABLES = `
  create table authors (
    id integer primary key, code varchar(3) unique, name text not null, level smallint check (level > 0),
    born date, boss_id integer references authors, seat int4range,
    exclude using gist (seat with &&));
  create table ungranted (id integer primary key);
  create function work() returns trigger language plpgsql as $$ begin
    case new.name when 'bug' then perform 1 / 0; when 'long' then new.code := 'abcd'; when 'nobody' then new.name := null;
    when 'when' then new.born := 'someday'; when 'word' then raise exception 'Not on a Sunday.';
      when 'serial' then raise exception using errcode = '40001'; when 'write' then raise exception using errcode = '25006';
      when 'drift' then perform nothing from nowhere; when 'grant' then insert into ungranted values (1); else null; end case;
    return new; end $$;
  create trigger work before insert or update on authors for each row execute function work();
  ${open('authors')}
  insert into authors values (1, 'ann', 'Ann', 1, null, null, '[1,2)'), (2, 'bob', 'Bob', 1, null, null, null)`;

async function check(
  { send, as }: Writer & { as?: string }, match: (found: unknown, wanted: unknown, name: string) => unknown, rows: Row[],
): Promise<void> {
  for (const [method, path, body, status, code, details] of rows) {
    const answer = await send(method, path, body, as === undefined ? {} : { as });
    match([answer.status, answer.body?.error.code], [status, code], `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`);
    if (details === undefined) match(answer.body?.error?.details, undefined, `${code} has no details`);
    else match(answer.body?.error?.details, details, `${code} ${answer.text}`);
  }
}

test('fields that the files and the catalog close to a body', async t => {
  const writer = await createWriter(t, { template: 'served', setup: AGAIN, env: { SERVICE_COLLECTIONS_DIR: collections(t, posts) } });
  await writer.sql`insert into service.relations (collection, name, kind, target, local_columns, target_columns)
    values ('posts', 'remote', 'via', 'posts', '{id}', '{id}')`;
  await writer.sql`update service.catalog set version = version + 1`;
  await writer.database.catalog.refresh();
  t.equal((await writer.send('POST', 'posts', { title: 'first' })).status, 201);
  await check(writer, t.match.bind(t), [
    [
      'POST', 'posts', { title: 'x', colour: 1 }, 400, 'VALIDATION_UNKNOWN_FIELDS',
      { collection: 'posts', fields: ['colour'], violations: [{ field: 'colour', code: 'unknown', message: String }] },
    ],
    ['POST', 'posts', { title: 'x', token: 'y' }, 400, 'VALIDATION_EXCLUDED_FIELDS', { collection: 'posts', fields: ['token'] }],
    ['POST', 'posts', { title: 'x', remote: [1] }, 400, 'RELATION_NOT_WRITABLE', { collection: 'posts', fields: ['remote'] }],
    [
      'POST', 'posts', {}, 400, 'VALIDATION_CONSTRAINT',
      { collection: 'posts', violations: [{ field: 'title', code: 'required', message: String }], messages: [String] },
    ],
    [
      'POST', 'posts', { title: 'far too long a title' }, 400, 'VALIDATION_CONSTRAINT',
      { violations: [{ field: 'title', code: 'max_length' }] },
    ],
    [
      'PATCH', 'posts/1', { views: 'many' }, 400, 'VALIDATION_INVALID_VALUE',
      { collection: 'posts', violations: [{ field: 'views', code: 'type', message: String }] },
    ],
    [
      'PATCH', 'posts/1', { id: 2 }, 400, 'KEY_IMMUTABLE',
      { collection: 'posts', violations: [{ field: 'id', code: 'key_immutable', message: String }] },
    ],
    ['PATCH', 'posts/1', { views: { $add: 1 } }, 400, 'INVALID_FIELD_OPERATION', { collection: 'posts' }],
    ['PATCH', 'posts/1', { views: { $inc: 'x' } }, 400, 'INVALID_FIELD_OPERATION', { collection: 'posts', field: 'views' }],
    ['PATCH', 'posts/1?fields=nope', {}, 400, 'UNKNOWN_RESPONSE_FIELD', { collection: 'posts', field: 'nope' }],
    ['PATCH', 'posts/1?include=remote', {}, 400, 'INVALID_PARAM', { parameter: 'include' }],
    ['DELETE', 'posts/1?hard=yes', undefined, 400, 'INVALID_HARD_PARAM', { hard: 'yes' }],
    ['PATCH', 'posts/99', {}, 404, 'NOT_FOUND', { collection: 'posts', id: '99' }],
    ['DELETE', 'posts/99', undefined, 404, 'NOT_FOUND', { collection: 'posts', id: '99' }],
    ['POST', 'posts', { title: 'again' }, 500, 'CALLBACK_RECURSION', { depth: 17, chain: Array }],
    ['POST', 'nothing', {}, 404, 'NOT_FOUND'],
    ['PATCH', 'posts/1', '[]', 400, 'BAD_REQUEST'],
  ]);
  await check({ ...writer, as: await tokenFor('ann') }, t.match.bind(t), [
    [
      'POST', 'posts', { title: 'x', pay: 1 }, 400, 'FIELD_NOT_WRITABLE',
      { collection: 'posts', violations: [{ field: 'pay', code: 'access', message: String }] },
    ],
    ['POST', 'posts', { title: 'x' }, 403, 'WRITE_DENIED', { collection: 'posts' }],
    ['PATCH', 'posts/1', { title: 'x' }, 403, 'WRITE_DENIED', { collection: 'posts' }],
    ['DELETE', 'posts/1', undefined, 403, 'WRITE_DENIED', { collection: 'posts' }],
    [
      'PATCH', 'posts/1?fields=pay', {}, 400, 'FIELD_NOT_READABLE',
      { collection: 'posts', violations: [{ field: 'pay', code: 'access', message: String }] },
    ],
  ]);
  t.same(await writer.sql`select title from posts`, [{ title: 'first' }], 'and nothing was written');
});

test('refusals of the database', async t => {
  const writer = await createWriter(t, { template: 'served', setup: TABLES });
  const refusal = (field: string, code: string) => ({ collection: 'authors', violations: [{ field, code, message: String }] });
  await check(writer, t.match.bind(t), [
    ['POST', 'authors', { id: 1, name: 'x' }, 409, 'PG_23505', { ...refusal('id', 'unique'), dbCode: '23505' }],
    ['POST', 'authors', { id: 3, name: 'x', seat: '[1,3)' }, 409, 'PG_23P01', { ...refusal('seat', 'exclusion'), dbCode: '23P01' }],
    ['PATCH', 'authors/1', { name: 'nobody' }, 400, 'PG_23502', { ...refusal('name', 'required'), dbCode: '23502' }],
    ['PATCH', 'authors/1', { bossId: 99 }, 400, 'PG_23503', { ...refusal('bossId', 'foreign_key'), dbCode: '23503' }],
    ['PATCH', 'authors/1', { level: 0 }, 400, 'PG_23514', { ...refusal('level', 'check'), dbCode: '23514' }],
    ['PATCH', 'authors/1', { level: 99_999 }, 400, 'PG_22003', { ...refusal('level', 'type'), dbCode: '22003' }],
    ['PATCH', 'authors/1', { name: 'long' }, 400, 'PG_22001', { collection: 'authors', dbCode: '22001' }],
    ['PATCH', 'authors/1', { name: 'when' }, 400, 'PG_22007', { collection: 'authors', dbCode: '22007' }],
    ['PATCH', 'authors/1', { seat: 'here' }, 400, 'PG_22P02', { ...refusal('seat', 'type'), dbCode: '22P02' }],
    ['PATCH', 'authors/1', { name: 'bug' }, 400, 'PG_22012', { dbCode: '22012' }],
    ['PATCH', 'authors/1', { name: 'word' }, 400, 'CALLBACK_REJECTED', { path: 'authors' }],
    ['PATCH', 'authors/1', { name: 'serial' }, 409, 'CONFLICT', { dbCode: '40001' }],
    ['PATCH', 'authors/1', { name: 'write' }, 409, 'READ_ONLY_TRANSACTION', { dbCode: '25006' }],
    ['PATCH', 'authors/1', { name: 'drift' }, 500, 'SCHEMA_DRIFT', { dbCode: '42P01' }],
    ['PATCH', 'authors/1', { name: 'grant' }, 500, 'DB_PERMISSION_DENIED', { dbCode: '42501' }],
  ]);
  t.same(await writer.sql`select id, code, name, level from authors order by id`,
    [{ id: 1, code: 'ann', name: 'Ann', level: 1 }, { id: 2, code: 'bob', name: 'Bob', level: 1 }], 'and nothing was written');
});

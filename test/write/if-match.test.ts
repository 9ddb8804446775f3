import { test } from 'tap';
import { collections, createWriter, open, type Writer } from './client.ts';

const TABLES = `
  create table notes (id integer generated always as identity primary key, name text not null, size integer not null default 0, doc json);
  insert into notes (name) select 'note ' || n from generate_series(1, 9) n;
  create table hidden (id integer primary key, name text, mine boolean not null);
  insert into hidden values (1, 'a', false);
  alter table hidden enable row level security;
  create policy reads on hidden for select using (true);
  create policy writes on hidden for all using (mine);
  ${open('notes')}`;

const tagOf = async ({ send }: Writer, path: string): Promise<string> => (await send('GET', path)).headers.get('etag') ?? '';
const held = (tag: string) => ({ headers: { 'if-match': tag } });

test('a row is written only while it has the tag that it was read with', async t => {
  const writer = await createWriter(t, { template: 'served', setup: TABLES });
  const { send } = writer;
  for (const path of ['notes/1', 'notes/2']) {
    for (let n = 1; n <= 3; n++) {
      const tag = await tagOf(writer, path);
      t.match(await send('PATCH', path, { name: `changed ${n}` }, held(tag)), { status: 200, body: { name: `changed ${n}` } });
      const { status, body } = await send('PATCH', path, { name: 'late' }, held(tag));
      const current = await tagOf(writer, path);
      const [collection, id] = path.split('/');
      t.match({ status, error: body.error },
        { status: 412, error: { code: 'PRECONDITION_FAILED', details: { collection, id, expected: [tag], current } } });
      t.match(await send('PUT', path, { name: 'put' }, held(`"x,y" , W/${current}`)), { status: 200, body: { name: 'put' } },
        'one of a list, weak or not');
      t.equal((await send('PATCH', path, { name: `kept ${n}` }, held(' * '))).status, 200, 'any');
      t.equal((await send('PATCH', path, { name: 'late' }, held('no tag'))).status, 412, 'what is no tag is none of the row');
      t.equal((await send('DELETE', path, undefined, held(tag))).status, 412);
    }
    t.equal((await send('GET', path)).body.name, 'kept 3');
    t.equal((await send('DELETE', path, undefined, held(await tagOf(writer, path)))).status, 204);
    t.equal((await send('PATCH', path, { name: 'gone' }, held('"x"'))).status, 404);
  }
  const tag = await tagOf(writer, 'notes/4');
  t.equal((await send('PATCH', 'notes/4', '{"doc":{"b":1,"a":2}}', held(tag))).text,
    '{"id":4,"name":"note 4","size":0,"doc":{"b":1,"a":2}}');
  t.equal((await send('PATCH', 'notes/4', {}, held(tag))).status, 412, 'nothing to set');
  t.equal((await send('POST', 'notes', { name: 'new' }, held('"x"'))).status, 201, 'a new row has no tag');
});

test('other faults are reported in their order', async t => {
  const writer = await createWriter(t, { template: 'served', setup: TABLES });
  const { send } = writer;
  const codeOf = async (method: 'PATCH' | 'DELETE', path: string, body: unknown, tag: string): Promise<unknown> =>
    (await send(method, path, body, held(tag))).body.error.code;
  const tag = await tagOf(writer, 'notes/1');
  t.equal(await codeOf('PATCH', 'notes/1', { size: 'x' }, '"x"'), 'VALIDATION_INVALID_VALUE', 'the body first');
  t.equal(await codeOf('PATCH', 'notes/x', { size: 1 }, '"x"'), 'NOT_FOUND');
  t.equal(await codeOf('PATCH', 'notes/1', { id: 2, size: 1 }, '"x"'), 'PRECONDITION_FAILED');
  t.equal(await codeOf('PATCH', 'notes/1', { id: 2, size: 1 }, tag), 'KEY_IMMUTABLE');
  t.equal(await codeOf('PATCH', 'hidden/1', { name: 'b' }, '"x"'), 'PRECONDITION_FAILED');
  t.equal(await codeOf('PATCH', 'hidden/1', { name: 'b' }, await tagOf(writer, 'hidden/1')), 'WRITE_DENIED');
});

test('deleting softly, restoring and purging heed it too', async t => {
  const notes = {
    slug: 'notes', softDelete: true,
    properties: { id: { type: 'number', isId: 'increment' }, title: { type: 'string' }, deletedAt: { type: 'date' } },
    securityRules: [{ operation: 'all', access: 'public' }],
  };
  const writer = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes) } });
  const { send } = writer;
  await send('POST', 'notes', { title: 'a' });
  const tag = await tagOf(writer, 'notes/1');
  const statuses = async (...sent: Parameters<typeof send>[]) => Promise.all(sent.map(async one => (await send(...one)).status));
  t.same(await statuses(['DELETE', 'notes/1', undefined, held('"x"')]), [412]);
  t.same(await statuses(['DELETE', 'notes/1', undefined, held(tag)]), [204]);
  t.same(await statuses(['DELETE', 'notes/1', undefined, held(tag)], ['PATCH', 'notes/1', { title: 'b' }, held(tag)]), [404, 404]);
  t.same(await statuses(['DELETE', 'notes/1?hard=true', undefined, held(tag)], ['PATCH', 'notes/1', { deletedAt: null }, held(tag)]),
    [412, 412], 'of the deleted row');
  t.match(await send('PATCH', 'notes/1', { deletedAt: '2020-01-01' }, held(tag)), { status: 412 });
  const trashed = await tagOf(writer, 'notes/1?deleted=include');
  t.match(await send('PATCH', 'notes/1', { deletedAt: '2020-01-01' }, held(trashed)),
    { status: 400, body: { error: { code: 'FIELD_NOT_WRITABLE' } } });
  t.same(await statuses(['PATCH', 'notes/1', { deletedAt: null }, held(trashed)]), [200]);
  t.same(await statuses(['DELETE', 'notes/1?hard=true', undefined, held(await tagOf(writer, 'notes/1'))]), [204]);
});

test('one of fifty writers with one tag wins', async t => {
  const writer = await createWriter(t, { template: 'served', setup: TABLES });
  const { send } = writer;
  for (const path of ['notes/1', 'notes/2']) {
    const tag = await tagOf(writer, path);
    const statuses = await Promise.all(Array.from({ length: 50 },
      async (_, n) => (await send('PATCH', path, { name: `writer ${n}`, size: n }, held(tag))).status));
    t.equal(statuses.filter(status => status === 200).length, 1);
    t.equal(statuses.filter(status => status === 412).length, 49);
  }
  const deleted = await tagOf(writer, 'notes/3');
  const statuses = await Promise.all(Array.from({ length: 20 }, async (_, n) =>
    (await (n % 2 ? send('DELETE', 'notes/3', undefined, held(deleted)) : send('PATCH', 'notes/3', { size: n }, held(deleted)))).status));
  t.equal(statuses.filter(status => status < 300).length, 1);
});

test('a DBA says it in the request', async t => {
  const writer = await createWriter(t, { template: 'served', setup: TABLES });
  const change = (tags: string[]) => writer.sql`
    select service_private.change(${JSON.stringify({
      op: 'update', path: ['notes', '1'], body: { name: 'by hand' }, match: tags,
    })}::text::jsonb, service_private.service_claims()) ->> 'name' as name`;
  const tag = await tagOf(writer, 'notes/1');
  t.same(await change(['"x"', tag]), [{ name: 'by hand' }]);
  await t.rejects(change([tag]), { code: 'GW412', hint: 'PRECONDITION_FAILED' });
});

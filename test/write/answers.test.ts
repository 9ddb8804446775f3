import { test } from 'tap';
import { storeTables } from '../harness/service.ts';
import { createWriter, open } from './client.ts';

test('the body of a write is one JSON object, and nothing is an empty one', async t => {
  const { send, refused } = await createWriter(t);
  for (const body of ['[]', 'null', '7', '"x"', '{', '{"a":1}x']) {
    t.same(await refused('PATCH', 'categories/2', body), [400, 'BAD_REQUEST'], body);
  }
  for (const body of [undefined, '', '  \n', '{}']) t.equal((await send('PATCH', 'categories/2', body)).status, 200);
  t.equal((await send('PATCH', 'categories/2', '{"position":4}', { headers: { 'content-type': 'text/plain' } })).status, 415);
  t.equal((await send('PATCH', 'categories/2', '{"position":4}', {
    headers: { 'content-type': 'application/vnd.x+json; charset=utf-8' },
  })).status, 200);
  t.same(await refused('POST', 'categories', ''), [400, 'VALIDATION_CONSTRAINT', 'name: required', 'slug: required']);
});

test('Prefer: return=minimal leaves the answer out', async t => {
  const { send } = await createWriter(t);
  for (const prefer of ['return=minimal', 'Return = Minimal', 'count=none, return="minimal"']) {
    const { status, text, headers } = await send('PATCH', 'categories/2', {}, { headers: { prefer } });
    t.same([status, text, headers.get('preference-applied')], [204, '', 'return=minimal'], prefer);
  }
  const created = await send('POST', 'categories', { name: 'x', slug: 'x', position: 1 }, { headers: { prefer: 'return=minimal' } });
  t.same([created.status, created.text, created.headers.get('preference-applied')], [204, '', 'return=minimal']);
  const put = await send('PUT', 'categories/2', {}, { headers: { prefer: 'return=minimal' } });
  t.same([put.status, put.headers.get('deprecation')], [204, 'true']);
  t.equal((await send('PATCH', 'categories/2', {}, { headers: { prefer: 'return=representation' } })).status, 200);
  const gone = await send('DELETE', 'categories/20', undefined, { headers: { prefer: 'return=minimal' } });
  t.same([gone.status, gone.headers.get('preference-applied')], [204, null], 'a delete takes no notice of it');
});

test('fields narrows the answer to fields that there are', async t => {
  const { send, refused } = await createWriter(t);
  t.same((await send('PATCH', 'categories/2?fields=name,%20parent_id', { name: 'y' })).body, { id: 2, parentId: null, name: 'y' });
  t.same(await refused('PATCH', 'categories/2?fields=nope', { name: 'z' }), [400, 'UNKNOWN_RESPONSE_FIELD']);
  t.same(await refused('POST', 'categories?fields=nope', { name: 'x', slug: 'x', position: 1 }), [400, 'UNKNOWN_RESPONSE_FIELD']);
  t.equal((await send('PATCH', 'categories/2?fields=', {})).body.name, 'y', 'and nothing was written');
});

test('a parameter or a header that a write does not know is refused, not ignored', async t => {
  const { send, refused } = await createWriter(t);
  t.same(await refused('PATCH', 'categories/2?include=parent', {}), [400, 'INVALID_PARAM']);
  t.same(await refused('PATCH', 'categories/2?hard=true', {}), [400, 'INVALID_PARAM']);
  t.same(await refused('DELETE', 'categories/2?fields=id'), [400, 'INVALID_PARAM']);
  t.same(await refused('DELETE', 'categories/2?hard=yes'), [400, 'INVALID_HARD_PARAM']);
  t.same(await refused('PATCH', 'categories/2?on_conflict=slug', {}), [400, 'INVALID_PARAM']);
  t.equal((await send('DELETE', 'tags/1?hard=true')).status, 204);
});

test('a malformed query or path is refused as that of a read is, and nothing is written', async t => {
  const { send } = await createWriter(t);
  const malformed = ['2?fields=%', '2?fields=%C3%28', '2?fields=na%00me', '2?%=x', '%', '%C3%28', 'undefined', '%00'];
  for (const path of malformed) {
    const [read, written] = [await send('GET', `categories/${path}`), await send('PATCH', `categories/${path}`, { name: 'z' })];
    const { requestId, ...error } = written.body.error;
    t.same([written.status, { ...error, requestId: read.body.error.requestId }], [read.status, read.body.error], path);
    t.ok(requestId);
  }
  for (const hard of ['1', 'TRUE', 'tru%']) {
    t.equal((await send('DELETE', `tags/1?hard=${hard}`)).body.error.code, (await send('GET', `tags/1?hard=${hard}`)).body.error.code,
      hard);
  }
  t.equal((await send('GET', 'tags/1')).status, 200);
  t.not((await send('GET', 'categories/2')).body.name, 'z');
});

test('the last of two values of a parameter counts, and an empty one is none', async t => {
  const { send } = await createWriter(t);
  t.same((await send('PATCH', 'categories/2?fields=slug&fields=name', { name: 'y' })).body, { id: 2, name: 'y' });
  t.same(Object.keys((await send('PATCH', 'categories/2?fields=,name,,name', {})).body).sort(), ['id', 'name']);
  t.equal((await send('PATCH', 'categories/2?limit=', {})).status, 200);
  t.equal((await send('DELETE', 'tags/1?hard=')).status, 204);
});

test('views and unknown collections are not written', async t => {
  const { refused } = await createWriter(t, { env: storeTables, setup: `
    create view tea with (security_invoker) as select * from products where category_id = 1;
    comment on view tea is '@key id';` });
  t.same(await refused('POST', 'tea', { name: 'x' }), [403, 'WRITE_DENIED']);
  t.same(await refused('PATCH', 'tea/1', { name: 'x' }), [403, 'WRITE_DENIED']);
  t.same(await refused('DELETE', 'tea/1'), [403, 'WRITE_DENIED']);
  t.same(await refused('POST', 'coffee', {}), [404, 'NOT_FOUND']);
  t.same(await refused('DELETE', 'coffee/1'), [404, 'NOT_FOUND']);
});

test('an update of nothing still touches the row, so that what stamps it runs', async t => {
  const { send } = await createWriter(t, { template: 'served', setup: `
    create table pages (id integer generated always as identity primary key, title text, touched integer not null default 0);
    create function touch() returns trigger language plpgsql as $$ begin new.touched := new.touched + 1; return new; end $$;
    create trigger touch before update on pages for each row execute function touch();
    create table bare (id integer generated always as identity primary key);
    ${open('pages', 'bare')}
    insert into pages default values; insert into bare default values;` });
  t.same((await send('PATCH', 'pages/1', {})).body, { id: 1, title: null, touched: 1 });
  t.same((await send('PATCH', 'pages/1', { id: 1 })).body, { id: 1, title: null, touched: 2 });
  t.same((await send('PATCH', 'bare/1', {})).body, { id: 1 }, 'a table with nothing to set');
  t.equal((await send('PATCH', 'bare/2', {})).status, 404);
  t.same((await send('POST', 'bare', {})).body, { id: 2 });
  t.same((await send('POST', 'pages', {})).body, { id: 2, title: null, touched: 0 });
});

import { test } from 'tap';
import { createService, tokenFor } from '../harness/service.ts';

test('a row is created, changed and deleted, and each answer is the row as it is read', async t => {
  const { request } = await createService(t);
  const created = await request('/data/categories',
    { method: 'POST', body: '{"name":"Tea","slug":"sencha","position":9,"parent":{"id":1}}' });
  t.equal(created.status, 201, created.text);
  t.match(created.body, { name: 'Tea', slug: 'sencha', position: 9, parentId: 1, description: null });
  const path = `/data/categories/${created.body.id as number}`;
  t.same((await request(path)).body, created.body);
  const changed = await request(path, { method: 'PATCH', body: '{"name":"Green tea"}' });
  t.same(changed.body, { ...created.body, name: 'Green tea' });
  const replaced = await request(path, { method: 'PUT', body: '{}' });
  t.equal(replaced.headers.get('deprecation'), 'true');
  t.same(replaced.body, changed.body);
  const quiet = await request(path, { method: 'PATCH', headers: { prefer: 'return=minimal' }, body: '{"position":3}' });
  t.same([quiet.status, quiet.text, quiet.headers.get('preference-applied')], [204, '', 'return=minimal']);
  const narrow = await request(`${path}?fields=name`, { method: 'PATCH', body: '{}' });
  t.same(narrow.body, { id: created.body.id, name: 'Green tea' });
  const gone = await request(path, { method: 'DELETE' });
  t.same([gone.status, gone.text], [204, '']);
  t.equal((await request(path, { method: 'DELETE' })).status, 404);
});

test('impossible writes give their reason', async t => {
  const { request } = await createService(t);
  const refused = async (method: string, path: string, body?: string, as?: string) => {
    const answer = await request(path, { method, ...(body !== undefined && { body }), ...(as !== undefined && { as }) });
    return [answer.status, answer.body?.error?.code];
  };
  const nobody = await tokenFor('nobody');
  t.same(await refused('POST', '/data/categories', '{"x":1}'), [400, 'VALIDATION_UNKNOWN_FIELDS']);
  t.same(await refused('POST', '/data/categories', '{}'), [400, 'VALIDATION_CONSTRAINT']);
  t.same(await refused('POST', '/data/categories', '{"name":"x","slug":"y","position":"z"}'), [400, 'VALIDATION_INVALID_VALUE']);
  t.same(await refused('POST', '/data/categories', '{"name":"Coffee","slug":"coffee","position":1}'), [409, 'PG_23505']);
  t.same(await refused('POST', '/data/categories', '{"name":"x","slug":"y","position":1,"parent":4711}'), [400, 'PG_23503']);
  t.same(await refused('POST', '/data/categories', '{"name":"x","slug":"y","position":1}', nobody), [403, 'WRITE_DENIED']);
  t.same(await refused('PATCH', '/data/categories/2', '{"name":"x"}', nobody), [403, 'WRITE_DENIED']);
  t.same(await refused('DELETE', '/data/categories/2', undefined, nobody), [403, 'WRITE_DENIED']);
  t.same(await refused('PATCH', '/data/categories/999', '{}'), [404, 'NOT_FOUND']);
  t.same(await refused('PATCH', '/data/categories/abc', '{}'), [404, 'NOT_FOUND']);
  t.same(await refused('PATCH', '/data/categories/2', '{"id":3}'), [400, 'KEY_IMMUTABLE']);
  t.same(await refused('PATCH', '/data/categories/2?fields=nope', '{}'), [400, 'UNKNOWN_RESPONSE_FIELD']);
  t.same(await refused('PATCH', '/data/categories/2', '[]'), [400, 'BAD_REQUEST']);
  t.same(await refused('PATCH', '/data/categories/2', '{'), [400, 'BAD_REQUEST']);
  t.same(await refused('POST', '/data/nothing', '{}'), [404, 'NOT_FOUND']);
  t.same(await refused('POST', '/data/categories/1/products', '{}'), [400, 'VALIDATION_CONSTRAINT']);
});

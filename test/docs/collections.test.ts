import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../harness/server.ts';
import { createService, tokenFor } from '../harness/service.ts';
import { blocksOf } from './markdown.ts';

test('the collection files of the document start a service that does what it says of them', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-collections-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const { language, text } of blocksOf(readFileSync(join(ROOT, 'docs/collections.md'), 'utf8'))) {
    if (language === 'jsonc') writeFileSync(join(folder, `${(JSON.parse(text) as { slug: string }).slug}.json`), text);
  }
  const { request } = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: folder, AUTH_REQUIRE: 'false' } });
  const [anna, editor] = [await tokenFor('anna'), await tokenFor('ed', ['editor'])];
  const made = await request('/data/authors', { method: 'POST', as: anna, body: '{"name":"  Anna ","email":"anna@example.com"}' });
  t.match(made, { status: 201, body: { name: 'Anna', uid: 'anna' } });
  t.equal(made.body.email, undefined, 'email is for editors');
  t.equal((await request('/data/authors', { as: editor })).body.data[0].email, 'anna@example.com');
  const post = await request('/data/posts', { method: 'POST', as: editor, body: `{"title":"First","author":"${made.body.id as string}","price":12.50,"topics":["a"]}` });
  t.match(post, { status: 201, body: { status: 'draft', authorId: made.body.id, topics: ['a'] } });
  t.same((await request('/data/posts', { as: null })).body.data, [], 'a draft is not public');
  const live = await request(`/data/posts/${post.body.id as number}`, { method: 'PATCH', as: editor, body: '{"status":"live"}' });
  t.not(live.body.updatedAt, post.body.updatedAt);
  t.match((await request('/data/posts?include=author,tags', { as: null })).body.data, [{ title: 'First', price: 12.5, author: { name: 'Anna' }, tags: [] }]);
  const refused = await request('/data/posts', { method: 'POST', as: editor, body: '{"title":"","price":-1,"status":"gone"}' });
  t.same(refused.body.error.details.violations.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`), ['author required', 'price min', 'status enum']);
  t.equal((await request('/data/tags', { method: 'POST', as: anna, body: '{"name":"x"}' })).status, 403);
});

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
  const post = await request('/data/posts',
    { method: 'POST', as: editor, body: `{"title":"First","author":"${made.body.id as string}","price":12.50,"topics":["a"]}` });
  t.match(post, { status: 201, body: { status: 'draft', authorId: made.body.id, topics: ['a'] } });
  t.same((await request('/data/posts', { as: null })).body.data, [], 'a draft is not public');
  const live = await request(`/data/posts/${post.body.id as number}`, { method: 'PATCH', as: editor, body: '{"status":"live"}' });
  t.not(live.body.updatedAt, post.body.updatedAt);
  t.match((await request('/data/posts?include=author,tags', { as: null })).body.data,
    [{ title: 'First', price: 12.5, author: { name: 'Anna' }, tags: [] }]);
  const refused = await request('/data/posts', { method: 'POST', as: editor, body: '{"title":"","price":-1,"status":"gone"}' });
  t.same(refused.body.error.details.violations.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
    ['author required', 'price min', 'status enum']);
  t.equal((await request('/data/tags', { method: 'POST', as: anna, body: '{"name":"x"}' })).status, 403);

  const author = await tokenFor('al', ['author']);
  const { body: shown } = await request('/data/pages',
    { method: 'POST', as: editor, body: '{"title":"Scored","seo":{"description":"d","score":7}}' });
  const scored = `/data/pages/${shown.id as string}`;
  const { body: left } = await request(scored, { method: 'PATCH', as: author, body: '{"seo":{"description":"new"}}' });
  t.same([shown.seo, left.seo, (await request(scored, { as: editor })).body.seo],
    [{ description: 'd', score: 7 }, { description: 'new' }, { description: 'new', score: 7 }]);
  const codes = [
    await request('/data/pages?seo->score=7', { as: author }), await request('/data/pages?seo->source=x', { as: editor }),
    await request('/data/pages?seo=notnull.', { as: author }),
    await request('/data/pages', { method: 'POST', as: author, body: '{"seo":{"score":1}}' }),
    await request('/data/pages', { method: 'POST', as: editor, body: '{"seo":{"source":"x"}}' }),
  ].map(({ body }) => body.error.code as string);
  t.same(codes, ['FIELD_NOT_READABLE', 'UNKNOWN_FILTER_FIELD', 'FIELD_NOT_READABLE', 'FIELD_NOT_WRITABLE', 'VALIDATION_EXCLUDED_FIELDS']);
  const page = (body: object[]) => request('/data/pages', { method: 'POST', as: editor, body: JSON.stringify({ body }) });
  t.match(await page([{ type: 'heading', value: 'Hello' }, { type: 'image', value: { url: 'https://example.com/a.png' } }]),
    { status: 201, body: { body: [{ value: 'Hello' }, { type: 'image' }] } });
  t.same((await page([{ type: 'heading', value: 'x' }, { type: 'heading' }, { type: 'video' }])).body.error.details.violations
    .map(({ field }: { field: string }) => field), ['body[1].value', 'body[2].type']);

  const [ben, guest] = [await tokenFor('ben', [], { level: 1 }), await tokenFor('gus', [], { isAnonymous: true })];
  await request('/data/members', { method: 'POST', body: '{"team":"t1","uid":"ben"}' });
  const create = (as: string, body: string) => request('/data/documents', { method: 'POST', as, body });
  t.equal((await create(guest, '{"title":"no"}')).status, 403);
  const { body: document } = await create(anna, '{"title":"Plan","team":"t1"}');
  const [own] = [(await create(ben, '{"title":"Own","team":"t2"}')).body.id as number];
  const titles = async (as: string | null) =>
    ((await request('/data/documents?orderBy=id', { as })).body.data as { title: string }[]).map(({ title }) => title);
  t.same([await titles(anna), await titles(ben), await titles(guest), await titles(null)], [['Plan'], ['Plan', 'Own'], [], []]);
  const change = async (as: string, id: number, body: string) =>
    (await request(`/data/documents/${id}`, { method: 'PATCH', as, body })).status;
  t.same([await change(ben, document.id, '{"level":1}'), await change(ben, own,
    '{"level":2}'), await change(ben, own, '{"level":1,"final":true}'), await change(ben, own, '{"title":"x"}')], [403, 403, 200, 403]);
});

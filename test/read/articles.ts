import type { Test } from 'tap';
import { reader, user, type Client } from './client.ts';

/** A collection with a search block, as a test wants it. */
export const articles = (search: object, more: object = {}) => ({
  slug: 'articles',
  properties: {
    id: { type: 'number', isId: 'manual' },
    title: { type: 'string' },
    body: { type: 'string' },
    tags: { type: 'array', of: { type: 'string' } },
    maker: { type: 'map', keyValue: true },
    open: { type: 'boolean', defaultValue: true },
    notes: { type: 'relation', relation: { kind: 'hasMany', target: 'notes', foreignKeyOnTarget: 'article_id' } },
  },
  securityRules: [{ operation: 'select', using: '{open}' }],
  search: { fields: [{ path: 'title', weight: 'A' }, 'body', 'tags', 'maker.contact'], ...search },
  ...more,
});

/** Without a search block. */
const notes = {
  slug: 'notes',
  properties: {
    id: { type: 'number', isId: 'manual' }, text: { type: 'string' },
    article: { type: 'relation', relation: { kind: 'belongsTo', target: 'articles', localKey: 'article_id' } },
  },
  securityRules: [{ operation: 'select', access: 'public' }],
};

const ROWS = `
  insert into articles (id, title, body, tags, maker, open) values
    (1, 'Green tea', 'Boil water, let it run. Then wait.', '{leaf,"slow sip"}',
      '{"contact": {"name": "Müller", "towns": ["Kraków", "Lyon"]}, "hidden": "Zanzibar"}', true),
    (2, 'Coffee', 'Green beans, roasted; nothing for tea drinkers.', null, null, true),
    (3, 'Runners', 'Séyès ruled <b>paper</b> & ink, for "notes".', '{}', '{"contact": "Lyon"}', true),
    (4, 'A secret tea', 'Green as well.', null, null, false),
    (5, null, null, null, 'null', true);
  insert into notes values (1, 'tea', 1), (2, 'tea', 2), (3, 'ink', 3);
  insert into articles (id, title) select n, 'filler ' || md5(n::text) from generate_series(100, 1500) n;
  analyze articles`;

/** Ann reads articles that are searched so: she sees what is open. */
export async function searched(t: Test, search: object, more: object = {}): Promise<Client> {
  const folder = t.testdir({ 'articles.json': JSON.stringify(articles(search, more)), 'notes.json': JSON.stringify(notes) });
  const client = await reader(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: folder } }, await user('ann'));
  await client.service.sql.unsafe(ROWS).simple();
  return client;
}

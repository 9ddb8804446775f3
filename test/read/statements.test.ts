import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { parsed } from './client.ts';
import { library } from './library.ts';

/** Each is written down beside this file, below the request that it answers. A file that is not there is written, to be looked at. */
const REQUESTS = {
  list: 'books?title=like.T%25&pages=gt.50&orderBy=pages:desc&limit=10&offset=20',
  'list-after-a-cursor': 'books?orderBy=pages&after=CURSOR',
  'list-with-includes': 'authors?include=books.tags,mentor',
  'list-of-a-parent': 'authors/1/books?fields=title',
  'list-with-groups': 'books?not=(or(pages.gt.50,author.name.eq.Ann),and(title.eq.Tea,tags.name.neq.hot))',
  'list-distinct': 'books?distinct=true&fields=pages',
  'list-with-a-search': 'books?searchString=tea',
  get: 'books/1?include=author',
  count: 'books/count?tags=1',
  aggregate: 'books/aggregate?select=sum(pages),avg(price)&groupBy=authorId&orderBy=sum_pages:desc',
};

const { sql, request } = await lendService(t, { template: 'served', setup: library });

test('statements read as they are written down', async t => {
  const { body } = await request('/data/books?orderBy=pages&limit=1');
  for (const [name, path] of Object.entries(REQUESTS)) {
    const { shape } = parsed(path.replace('CURSOR', body.meta.nextCursor));
    const [row] = await sql<{ statement: string }[]>`select statement from service.compile(${JSON.stringify(shape)}::text::jsonb, '{}')`;
    // The seed of a row's tag is the server's own.
    const text = `-- GET /data/${path}\n${row?.statement.replace(/(hashtextextended\(.*), '-?\d+'\)/, '$1, \'…\')') ?? ''}\n`;
    const file = join(import.meta.dirname, 'statements', `${name}.sql`);
    const written = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    if (written === undefined) writeFileSync(file, text);
    t.equal(text, written, name);
  }
});

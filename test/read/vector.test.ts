import { test } from 'tap';
import postgres from 'postgres';
import { serverUrl } from '../harness/server.ts';
import { reader } from './client.ts';

const SETUP = `
  create extension vector;
  create table doc (id int primary key, kind text not null, embedding vector(3));
  alter table doc enable row level security; create policy p on doc using (true);
  insert into doc values (1, 'a', '[1,0,0]'), (2, 'a', '[0.9,0.1,0]'), (3, 'b', '[0,1,0]'), (4, 'b', '[0,0,1]'), (5, 'b', null);
  insert into doc select n, 'c', array[sin(n) / 2, cos(n * 1.3), sin(n * 2.1)]::vector from generate_series(6, 2000) n;
  create index on doc using hnsw (embedding vector_cosine_ops);
  analyze doc`;

/** pgvector is an extension that a server may lack; where it does, no part of this can be tried. */
async function hasVector(): Promise<boolean> {
  const sql = postgres(await serverUrl(), { max: 1 });
  const [row] = await sql`select exists (select from pg_available_extensions where name = 'vector') as found`;
  await sql.end();
  return row?.['found'] === true;
}

const found = await hasVector();
if (!found) console.log('# this server has no pgvector: vector search is not tested on it');
const search = (rest: string) => `vector_search=embedding&vector=${encodeURIComponent('[1,0,0]')}${rest}`;

if (found) test('the nearest rows come first, with their distance', async t => {
  const { get, refused, service } = await reader(t, { template: 'served', setup: SETUP });
  const near = await get(`doc?${search('&limit=2&fields=kind')}`);
  t.same(near.data, [{ id: 1, kind: 'a', _distance: 0 }, { id: 2, kind: 'a', _distance: near.data[1]._distance }]);
  t.equal(near.meta.nextCursor, undefined);
  t.equal((await get(`doc?${search('')}`)).data.length, 10, 'ten by default');
  const filtered = await get(`doc?${search('&kind=b&vector_distance=l2')}`);
  t.same(filtered.data.map(({ id }: { id: number }) => id), [4, 3, 5], 'filters narrow first; rows without a vector come last');
  t.equal(filtered.data[2]._distance, null);
  t.same((await get(`doc?${search('&kind=b&vector_threshold=2')}`)).meta.total, 2, 'the threshold leaves them out');
  t.same(await get(`doc/count?${search('&vector_threshold=0.008')}`), { count: 2 });
  t.equal((await get(`doc?${search('&kind=a&vector_distance=inner_product')}`)).data[0]._distance, -1, 'the inner product is negated');

  t.match(await refused('doc?vector_search=kind&vector=[1]'), { status: 400, code: 'UNKNOWN_VECTOR_PROPERTY' });
  t.match(await refused('doc?vector_search=embedding&vector=[1,2]'), { status: 400, code: 'INVALID_VECTOR' }, 'a vector of another length');
  t.match(await refused('doc?embedding=eq.1'), { status: 400, code: 'INVALID_FILTER_FIELD' });

  const plan = await service.sql`select line from service.explain('doc', '{"vector":{"property":"embedding","vector":"[1,0,0]"},"limit":2}') line`;
  const [version] = await service.sql`select current_setting('server_version_num')::int >= 160000 as counts`;
  if (version?.['counts'] === true) t.ok(plan.some(({ line }) => /Index Scan using doc_embedding_idx/.test(String(line))), 'the index serves it');
  else t.comment('PostgreSQL 15 does not count on a page\'s end when it plans, and sorts');
});

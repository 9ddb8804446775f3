import { test } from 'tap';
import { createService, type TestService } from '../harness/service.ts';
import { textOf } from './lanes.ts';

/** With the smallest pool each lane has one connection, so what a lane says is of the connection that requests use. */
const SMALLEST = { DB_POOL_MAX: '5' };

const prepared = async ({ database }: TestService): Promise<number> =>
  Number(textOf(await database.lanes.scan.run({
    text: 'select count(*)::text from pg_prepared_statements', prepare: false, enterFirst: false,
  }, [])));

test('every limit from 1 to 1000 is a handful of statements', async t => {
  const service = await createService(t, { env: SMALLEST });
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, n) => service.request(`/data/products?fields=id&limit=${n + 1}`)));
  t.same(answers.map(({ status, body }) => [status, body.data.length, body.meta.limit]),
    Array.from({ length: 1000 }, (_, n) => [200, Math.min(60, n + 1), n + 1]));
  const count = await prepared(service);
  t.ok(count >= 1 && count <= 24, `${count} prepared: for each power of two one for a single list, and one for several`);
});

test('a shape that was seen once is not prepared, from the second time on it is', async t => {
  const service = await createService(t, { env: SMALLEST });
  const before = await prepared(service); // a pooler's connection has been another client's
  await service.request('/data/products?limit=1');
  t.equal(await prepared(service), before);
  await service.request('/data/products?limit=1');
  t.equal(await prepared(service), before + 1);
  await service.request('/data/products?limit=1');
  t.equal(await prepared(service), before + 1);
});

test('a statement that fails after its first rows takes none from the next one on its connection', async t => {
  const { database } = await createService(t, { env: SMALLEST });
  const { point } = database.lanes;
  const texts = ['select (1 / (4 - n))::text from generate_series(1, 9) n', 'select n::text from generate_series(1, 3) n'];
  const [failed, next] = await Promise.allSettled(texts.map(text => point.rows({ text, prepare: false, enterFirst: false }, [])));
  t.equal(failed?.status, 'rejected');
  t.same(next?.status === 'fulfilled' && next.value.map(textOf), ['1', '2', '3']);
});

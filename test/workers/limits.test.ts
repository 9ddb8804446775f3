import { test } from 'tap';
import { answeredBy, BOTH, isOk, startService } from './service.ts';

test('workers count together', async t => {
  const service = await startService(t, { SERVICE_DATA_RATE_LIMIT: '25', AUTH_REQUIRE: 'false' });
  await answeredBy(service, BOTH, '/data/products/7', isOk); // the service key's, which is not counted
  const answers = await Promise.all(Array.from({ length: 80 },
    () => fetch(`${service.address}/data/products/7`, { headers: { connection: 'close' } })));
  t.equal(answers.filter(({ status }) => status === 429).length, 55);
  t.equal(answers.filter(({ headers }) => headers.get('x-ratelimit-limit') === '25').length, 80);
  t.equal(new Set(answers.map(({ headers }) => headers.get('x-rowgate-worker'))).size, 2);
});

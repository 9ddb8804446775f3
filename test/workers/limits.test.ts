import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { answeredBy, BOTH, isOk, startService } from './service.ts';

test('workers count together', async t => {
  const service = await startService(t, { SERVICE_DATA_RATE_LIMIT: '25' });
  await answeredBy(service, BOTH, '/data/products/7', isOk); // the service key's, which is not counted
  const authorization = `Bearer ${await tokenFor('7', ['admin'])}`;
  const answers = await Promise.all(Array.from({ length: 80 }, () => fetch(`${service.address}/data/products/7`, { headers: { authorization, connection: 'close' } })));
  t.equal(answers.filter(({ status }) => status === 200).length, 25);
  t.equal(answers.filter(({ status }) => status === 429).length, 55);
  t.equal(new Set(answers.map(({ headers }) => headers.get('x-rowgate-worker'))).size, 2);
});

import { test } from 'tap';
import { createService } from '../harness/service.ts';
import { samplesOf } from './exposition.ts';

test('x', async t => {
  const service = await createService(t, { env: { SERVICE_METRICS: 'true' } });
  for (let i = 0; i < 20; i++) await service.request('/data/products/7');
  await Promise.all(Array.from({ length: 50 }, () => service.request('/data/products/7')));
  await service.request('/data/nothing');
  await service.request('/nothing');
  const text = await (await fetch(`${service.address}/metrics`)).text();
  console.log(text);
  samplesOf(text);
});

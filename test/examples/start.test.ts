// A start in a folder without a project, which serves the example store.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { addressOf, emptyFolder, startGateway } from '../boot/gateway.ts';
import { ROOT } from '../harness/server.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const EXAMPLE = join(ROOT, 'examples/store');
const SECRET = `whsec_${Buffer.from('the secret of a test').toString('base64')}`;

test('a start with nothing set does the example\'s jobs; a settings file in its folder goes before the example\'s', async t => {
  const folder = emptyFolder(t);
  const first = startGateway(t, { DB_POOL_MAX: '6' }, folder);
  const { jobs } = await ask(await addressOf(first), 'GET', '/admin/cron');
  t.match(jobs, [{ id: 'nightly-report', enabled: true }]);
  t.equal(jobs.length, 1);
  first.process.kill('SIGTERM');
  t.match(await first.ended, { code: 0, output: /Collections {2}bundles, categories, customers, daily_reports, / });

  const receiver = await startReceiver(t, join(EXAMPLE, 'receiver.mjs'), SECRET);
  const settings = readFileSync(join(EXAMPLE, 'rowgate.json'), 'utf8');
  writeFileSync(join(folder, 'rowgate.json'),
    settings.replace('"enabled": false', '"enabled": true').replace('http://127.0.0.1:4000/', receiver.url));
  const second = startGateway(t, { DB_POOL_MAX: '6', ORDERS_SECRET: SECRET }, folder);
  const address = await addressOf(second);
  const { data: [customer] } = await ask(address, 'GET', '/data/customers?limit=1');
  const order = await ask(address, 'POST', '/data/orders',
    { customerId: customer.id, address: { street: 'Harbour Lane 1', city: 'Leith', country: 'GB' } });
  await until('the event is printed', () => receiver.printed().includes(`INSERT order ${order.id}: pending\n`));
  second.process.kill('SIGTERM');
  t.equal((await second.ended).code, 0);
});

async function ask(address: string, method: string, path: string, body?: object): Promise<any> {
  const headers = { 'authorization': `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' };
  const answer = await fetch(`${address}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return answer.json();
}

import { test } from 'tap';
import { until } from '../harness/until.ts';
import { childrenOf, isRunning } from '../harness/children.ts';
import { startOn } from './service.ts';

test('workers do not outlive a parent that was killed, nor does the embedded server', async t => {
  const service = await startOn(t, { DB_POOL_MAX: '14' });
  const workers = childrenOf(service.gateway.process, 'start/worker');
  const servers = childrenOf(service.gateway.process, 'postgres');
  const all = childrenOf(service.gateway.process, '');
  t.equal(workers.length, 2);
  t.equal(servers.length, 1);
  service.gateway.process.kill('SIGKILL');
  await until('all have ended', () => Promise.resolve(!all.some(isRunning)));
  await t.rejects(service.ask('/health'), { code: 'ECONNREFUSED' });
});

import { test } from 'tap';
import { runGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { startOn } from './service.ts';

test('a second service does not share the port of one with workers, whether it has some or not', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const service = await startOn(t, { DATABASE_URL: url });
  for (const workers of ['2', '1']) {
    const { code, stderr } = await runGateway(t, { DATABASE_URL: url, SERVICE_WORKERS: workers, DB_POOL_MAX: '12', PORT: service.port });
    t.equal(code, 1);
    t.equal(stderr, `PORT ${service.port} cannot be opened: another program has it, or this user may not open it.\n`);
  }
  t.equal((await service.ask('/health')).status, 200, 'the first serves on');
});

test('more workers than there are connections for: one line, exit code 1', async t => {
  const { url } = await createDatabase(t);
  const { code, stderr } = await runGateway(t, { DATABASE_URL: url, SERVICE_WORKERS: '3', DB_POOL_MAX: '14' });
  t.equal(code, 1);
  t.equal(stderr, 'SERVICE_WORKERS 3 needs DB_POOL_MAX 15 or more: 4 connections a worker and 3 for their parent. It is 14.\n');
});

import { test } from 'tap';
import { startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { SERVICE_KEY, storeFiles } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { answeredBy, BOTH, isOk, PATHS, startService } from './service.ts';

test('workers answer on one port, health too, a header says which, and all together keep to DB_POOL_MAX', async t => {
  const service = await startService(t, { DB_POOL_MAX: '11' });
  for (const path of ['/data/products/7', '/health']) await answeredBy(service, BOTH, path, isOk);
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => service.ask(PATHS[n % PATHS.length] ?? '')));
  t.same([...new Set(answers.map(({ status }) => status))], [200]);
  t.equal(new Set(answers.map(({ text }) => text)).size, PATHS.length, 'each worker gives the same answers');
  const connections = await service.database.sql<{ name: string }[]>`select application_name as name
    from pg_stat_activity where datname = current_database() and application_name like 'rowgate %'`;
  t.ok(connections.length <= 11, `${connections.length} of 11`);
  t.equal(connections.filter(({ name }) => name === 'rowgate listen').length, 1, 'the parent alone listens');
});

test('production says how many workers there are when it serves, and never which one answered', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const gateway = startGateway(t, {
    DATABASE_URL: url, ...storeFiles, SERVICE_WORKERS: '2', DB_POOL_MAX: '11', NODE_ENV: 'production',
    JWT_SECRET: 'rZ0v8Qm2Lk5Tn7Xw1Yp3Bd6Fg9Hj4SaCe', SERVICE_SERVICE_KEY: SERVICE_KEY, CORS_ORIGINS: 'https://app.example.com',
  });
  const line = await until('it says that it serves', () => Promise.resolve(/^.*"msg":"serving".*$/m.exec(gateway.output())?.[0]));
  const { port, workers } = JSON.parse(line) as { port: number; workers: number };
  t.equal(workers, 2);
  const response = await fetch(`http://127.0.0.1:${port}/health`);
  t.equal(response.status, 200);
  t.equal(response.headers.get('x-rowgate-worker'), null);
});

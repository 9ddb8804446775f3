import { test } from 'tap';
import { runCommand, startGateway } from '../boot/gateway.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { startService } from '../workers/service.ts';
import type { Entry } from './client.ts';

test('rowgate logs prints what the service has, and goes on with --follow', async t => {
  const { address, port, gateway } = await startService(t);
  const env = { PORT: port };
  const ask = (path: string) => fetch(`${address}${path}`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } });
  await ask('/data/products/1');
  await ask('/nothing/%1B');
  const all = await runCommand(t, ['logs'], env);
  t.match(all.output, /^\S+Z info {2}api {6}GET \/api\/data\/products\/1 200 \d+ms [0-9a-f-]{36}$/m);
  t.ok(all.output.indexOf('products/1') < all.output.indexOf('/nothing/'), 'the newest last');
  const { output, code } = await runCommand(t, ['logs', '--search', '/NOTHING', '--json'], env);
  t.match(JSON.parse(output) as Entry, { level: 'info', metadata: { path: '/api/nothing/%1B', status: 404 } });
  t.equal(code, 0);
  t.equal((await runCommand(t, ['logs', '--level', 'error'], env)).output, '');

  const following = startGateway(t, env, undefined, 'cli.ts', ['logs', '--follow', '--search', 'products']);
  await until('the first', () => following.output().includes('products/1'));
  await ask('/data/products/2');
  await until('the next', () => following.output().includes('products/2'));
  gateway.process.kill('SIGTERM');
  const end = await following.ended;
  t.same([end.code, end.stderr], [1, 'The stream of the service has ended.\n']);

  t.match(await runCommand(t, ['logs'], env), { code: 1, stderr: /^No service answers at http/ });
  t.match(await runCommand(t, ['logs', '--level', 'loud'], env), { code: 1, stderr: '--level must be one of info, warn, error.\n' });
});

test('rowgate logs says why it is refused', async t => {
  const { port } = await startService(t);
  const env = { PORT: port, SERVICE_SERVICE_KEY: 'another-service-key-0123456789abcdefghij' };
  t.match(await runCommand(t, ['logs'], env), { code: 1, stderr: /answers 401 UNAUTHORIZED: / });
});

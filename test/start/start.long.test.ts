import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { clone, interrupt, isAlive, npmStart, npmStartFails, postmasterPid } from './project.ts';

test('npm start in a clone serves the example, keeps its data, and ends whole', async t => {
  const folder = clone(t);
  const port = String(await freePort());
  const first = await npmStart(t, folder, { PORT: port });
  const page = JSON.parse(execFileSync('sh', ['-c', first.curl.replace('curl', 'curl -s')],
    { encoding: 'utf8' })) as { data: object[]; meta: object };
  t.equal(page.data.length, 3, 'the curl line that it prints works as printed');
  t.equal(statSync(join(folder, '.data/secrets.json')).mode & 0o777, 0o600);
  t.equal(readFileSync(join(folder, '.data/.gitignore'), 'utf8'), '*\n');
  t.match(first.output(),
    /Collections {2}bundles, categories, customers, daily_reports, order_items, orders, products, reviews, shipments, tags/);

  const headers = { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' };
  const created = await fetch(`http://127.0.0.1:${port}/api/data/tags`,
    { method: 'POST', headers, body: '{"name":"kept","color":"#123456"}' });
  t.equal(created.status, 201);
  const server = postmasterPid(folder);
  await interrupt(first.process);
  t.equal(first.process.exitCode ?? first.process.signalCode, 0, 'Ctrl-C ends it with 0');
  t.equal(isAlive(server), false, 'the database server has ended with it');
  await t.rejects(fetch(`http://127.0.0.1:${port}/livez`), 'the port is free');

  const second = await npmStart(t, folder, { PORT: port });
  t.equal(second.key, first.key, 'the development key is kept');
  const kept = await fetch(`http://127.0.0.1:${port}/api/data/tags/count?name=kept`, { headers });
  t.same(await kept.json(), { count: 1 }, 'and so is the data; the example is not loaded twice');

  process.kill(-(second.process.pid ?? 0), 'SIGKILL');
  await once(second.process, 'exit');
  const third = await npmStart(t, folder, { PORT: port });
  t.same(await (await fetch(`http://127.0.0.1:${port}/api/data/tags/count?name=kept`, { headers })).json(), { count: 1 },
    'also after kill -9');
  const refused = await npmStartFails(folder, { PORT: String(await freePort()) });
  t.same(refused.code, 1, 'a second one beside it is refused');
  t.match(refused.output, /Already running/);
  await interrupt(third.process);
});

test('a port that was named and is taken ends the start in one line', async t => {
  const folder = clone(t);
  const taken = createServer().listen(0);
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const port = (taken.address() as { port: number }).port;
  const { code, output } = await npmStartFails(folder, { PORT: String(port) });
  t.equal(code, 1);
  t.match(output, new RegExp(`PORT ${port} cannot be opened`));
  t.equal(isAlive(postmasterOrZero(folder)), false, 'nothing is left running');
});

function postmasterOrZero(folder: string): number {
  try {
    return postmasterPid(folder);
  } catch {
    return 2 ** 30;
  }
}

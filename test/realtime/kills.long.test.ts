import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { test } from 'tap';
import { migrate } from '../../gateway/start/migrate.ts';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { freePort } from '../../gateway/process/free-port.ts';
import { addressOf, emptyFolder, startGateway, type Gateway } from '../boot/gateway.ts';
import { childrenOf } from '../harness/children.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { schema } from '../harness/service.ts';
import { openWindows, setup } from './windows.ts';

const KINDS = ['gateway', 'worker', 'postgres'] as const;

test(`windows converge after SIGKILL of a gateway, a worker and PostgreSQL (RANDOM_SEED=${seed})`, async t => {
  const server = await startEmbedded({ dir: emptyFolder(t) });
  t.teardown(server.stop);
  const sql = postgres(server.url, { max: 4, fetch_types: false, onnotice: () => undefined });
  t.teardown(() => sql.end({ timeout: 0 }));
  await migrate(sql, schema);
  await sql.unsafe(setup).simple();
  const port = await freePort();
  let gateway: Gateway;
  const open = async () => {
    gateway = startGateway(t, {
      DATABASE_URL: server.url, SERVICE_SOURCE: 'tables', SERVICE_AUTH: 'off', SERVICE_WORKERS: '2', DB_POOL_MAX: '16', PORT: String(port),
    });
    await addressOf(gateway);
  };
  await open();
  const windows = await openWindows({ address: () => `http://127.0.0.1:${port}/api`, sql: () => sql }, 20);
  t.teardown(windows.close);
  const below = generator(seed + 1);

  const kill = {
    async gateway() {
      gateway.process.kill('SIGKILL');
      await gateway.ended;
      await open();
    },
    worker() {
      const workers = childrenOf(gateway.process, 'worker');
      process.kill(workers[below(workers.length)] as number, 'SIGKILL');
    },
    /** One of its processes, whereupon it ends all others and recovers; what is not logged is gone then. */
    postgres() {
      const processes = childrenOf(server, 'rowgate');
      process.kill(processes[below(processes.length)] as number, 'SIGKILL');
    },
  };

  t.same(await windows.converged(20_000), []);
  for (const kind of KINDS) {
    const times = runs(20);
    for (let n = 1; n <= times; n++) {
      const writing = windows.change();
      await setTimeout(below(60));
      await kill[kind]();
      await writing;
      await windows.change();
      const different = await windows.converged(60_000);
      if (different.length > 0) return t.same(different, [], `after kill ${n} of a ${kind}`);
    }
    t.pass(`${times} kills of a ${kind}`);
  }
});

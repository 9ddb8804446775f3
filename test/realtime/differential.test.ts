import { test } from 'tap';
import postgres from 'postgres';
import { generator, runs, seed } from '../harness/effort.ts';
import { createService } from '../harness/service.ts';
import { openWindows, setup } from './windows.ts';

const DEAFEN = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'rowgate listen'`;

test(`after each quiet moment every window shows what REST shows its caller (RANDOM_SEED=${seed})`, async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_SOURCE: 'tables', SERVICE_AUTH: 'off' }, setup });
  const sql = postgres(service.url, { max: 4, onnotice: () => undefined });
  t.teardown(() => sql.end({ timeout: 0 }));
  const windows = await openWindows({ address: () => `${service.address}/api`, sql: () => sql }, 24);
  t.teardown(windows.close);
  const below = generator(seed + 1);
  const rounds = runs(200);
  for (let round = 1; round <= rounds; round++) {
    if (below(10) === 0) await service.sql.unsafe(DEAFEN);
    await windows.change();
    const different = await windows.converged(20_000);
    if (different.length > 0) return t.same(different, [], `in round ${round}`);
  }
  t.pass(`${rounds} rounds`);
});

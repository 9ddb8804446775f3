import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { CONNECTIONS, poolShares } from '../../gateway/database/connections.ts';
import { ROOT } from '../harness/server.ts';

test('the shares of a process are all of its connections, and each lane has one', t => {
  for (let most = 6; most <= 200; most++) for (const [listening, calls] of [[0, 0], [1, 0], [1, 1], [1, 9]] as const) {
    const shares = poolShares(most, listening, calls);
    t.equal(Object.values(shares).reduce((sum, n) => sum + n, 0), most - listening, `${most}, ${listening}, ${calls}`);
    t.ok([shares.owner, shares.point, shares.write, shares.scan].every(n => n >= 1), JSON.stringify(shares));
  }
  t.same(poolShares(5, 1), { owner: 1, point: 1, compiler: 0, accounts: 0, jobs: 0, live: 0, write: 1, scan: 1, service: 0 });
  t.same(poolShares(20, 1), { owner: 1, point: 2, compiler: 2, accounts: 1, jobs: 1, live: 2, write: 4, scan: 6, service: 0 });
  t.same(poolShares(20, 1, 5), { owner: 1, point: 2, compiler: 2, accounts: 1, jobs: 1, live: 2, write: 2, scan: 3, service: 5 });
  t.equal(poolShares(20, 1, 50).service, 7, 'half of those that nothing needs');
  t.throws(() => poolShares(4, 1), { name: 'BootError', message: /^DB_POOL_MAX must be 5 or more/ });
  t.throws(() => poolShares(5, 1, 3), { name: 'BootError', message: /^DB_POOL_MAX must be 6 or more/ });
  t.end();
});

test('docs/configuration.md has the table', t => {
  const text = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  for (const { consumer, use, steps, without = '' } of CONNECTIONS) {
    const gets = steps.map(({ at, gets }) => `${gets} from ${at}`).join(', ');
    t.ok(text.includes(`| ${consumer} | ${use} | ${gets} | ${without} |`), `| ${consumer} | ${use} | ${gets} | ${without} |`);
  }
  t.end();
});

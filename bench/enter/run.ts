/** node bench/enter/run.ts [rounds]: what entering costs a statement, in microseconds of CPU of PostgreSQL and of this process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../gateway/start/migrate.ts';
import { readSchema } from '../../gateway/start/schema-files.ts';
import { textConnection } from '../../gateway/database/connection.ts';
import { arrayText } from '../../gateway/grammar/array-text.ts';
import { enteringValues, verifiedClaims } from '../../gateway/identity/caller.ts';
import { connection, emptyDatabase, startServer } from '../database.ts';
import { median } from '../measure.ts';
import { cpuTime } from '../processes.ts';
import { markdown, number } from '../report.ts';

const ROUNDS = Number(process.argv[2] ?? '9');
const STATEMENTS = 40_000;
const AT_ONCE = 200;

const jwt = verifiedClaims('6f1f0b1e-8a5c-4c62-9a3e-2f1f6f3f0001', ['editor', 'author'], false,
  { email: 'ada@example.com', org: { id: 7 } });
const values = enteringValues('user', jwt);
const json = JSON.stringify({ uid: values[0], roles: values[1], isAnonymous: false, jwt });
const array = arrayText([...values]);
const VARIANTS: Record<string, { text: string; parameters: readonly string[] }> = {
  'nobody enters': { text: 'select $1::text is not null', parameters: [''] },
  'before: one JSON object, four settings': { text: 'select service.enter_json($1)', parameters: [json] },
  'one array': { text: 'select service.enter_array($1)', parameters: [array] },
  'one array, taken apart outside': {
    text: 'select service.enter(c[1], c[2], c[3], c[4], c[5]) from (values ($1::text[])) caller (c)', parameters: [array],
  },
  'an SQL function, inlined': { text: 'select service.enter_inlined($1, $2, $3, $4, $5)', parameters: values },
  'after: five values': { text: 'select service.enter($1, $2, $3, $4, $5)', parameters: values },
  'the same without the last, which is then made in SQL': { text: 'select service.enter($1, $2, $3, $4)', parameters: values.slice(0, 4) },
};

const server = await startServer(false);
try {
  const url = await emptyDatabase(server, 'bench_enter');
  const owner = connection(url);
  await migrate(owner, readSchema());
  await owner.unsafe(readFileSync(join(import.meta.dirname, 'variants.sql'), 'utf8')).simple();
  await owner.end();
  const lane = textConnection(url, { connectTimeout: 10_000, applicationName: 'bench', startup: { role: 'service_user', jit: 'off' } });
  const measured = new Map<string, { postgres: number[]; client: number[] }>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, { text, parameters }] of Object.entries(VARIANTS)) {
      const before = [cpuTime(server.pid), process.cpuUsage()] as const;
      for (let n = 0; n < STATEMENTS; n += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => lane.unsafe(text, [...parameters], { prepare: true }).raw()));
      }
      const { user, system } = process.cpuUsage(before[1]);
      const { postgres, client } = measured.get(name) ?? { postgres: [], client: [] };
      if (round > 0) measured.set(name, {
        postgres: [...postgres, (cpuTime(server.pid) - before[0]) / STATEMENTS], client: [...client, (user + system) / STATEMENTS],
      });
    }
  }
  await lane.end();
  console.log(markdown({
    header: ['caller', 'PostgreSQL µs', 'client µs'],
    rows: [...measured].map(([name, { postgres, client }]) => [name, number(median(postgres)), number(median(client))]),
  }));
} finally {
  await server.stop();
}

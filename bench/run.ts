/**
 * npm run bench -- [topic …] [--seconds=5] [--rounds=3] [--durable] [--write]
 * Without topics all of them; --durable has commits wait for the disk; --write puts the tables into README.md.
 *   npm run bench -- before --before=../other-checkout --seconds=3 --rounds=7 [--cases=get,list,insert]
 */
import { parseArgs } from 'node:util';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { access } from './access.ts';
import { credentials, flood, issuer } from './accounts.ts';
import { adds } from './adds.ts';
import { attack } from './attack/attack.ts';
import { audit } from './audit.ts';
import { againstBefore } from './before.ts';
import { CASES, type Topic } from './cases.ts';
import { backups } from './backups.ts';
import { buckets } from './buckets.ts';
import { catalog } from './catalog.ts';
import { cursor } from './cursor.ts';
import { client } from './client.ts';
import { connection, createDatabase, startServer } from './database.ts';
import { evenness } from './evenness.ts';
import { functions } from './functions.ts';
import { idle } from './idle.ts';
import { jobs } from './jobs.ts';
import { locked } from './locked.ts';
import { logs } from './logs.ts';
import type { Rounds } from './measure.ts';
import { underLoad } from './memory.ts';
import { circumstances, markdown, write, type Table } from './report.ts';
import { images } from './images.ts';
import { mcp } from './mcp.ts';
import { metrics } from './metrics.ts';
import { provision } from './provision.ts';
import { hearing, telling } from './realtime.ts';
import { revocation } from './revocation.ts';
import { againstFloor, againstPeers, ruled, secured } from './requests.ts';
import { storage } from './storage.ts';
import { together } from './together.ts';
import { webhooks } from './webhooks.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '3' }, write: { type: 'boolean', default: false },
    before: { type: 'string' }, cases: { type: 'string' }, durable: { type: 'boolean', default: false },
  },
});

const REQUESTS = [...new Set(CASES.map(({ topic }) => topic))];
/** Each has a database of its own, so that what one writes no other reads. */
const OTHERS: Record<string, (server: Embedded, url: string, rounds: Rounds) => Promise<Table>> = {
  ...(values.before !== undefined && {
    before: (server: Embedded, _url: string, rounds: Rounds) =>
      againstBefore(server, values.before ?? '', rounds, values.cases?.split(',')),
  }),
  access,
  adds,
  attack: (server, url, rounds) => attack(server, url, rounds, values.before),
  audit,
  backups,
  buckets,
  catalog,
  client,
  credentials,
  cursor,
  evenness,
  flood,
  functions,
  hearing,
  idle,
  issuer,
  jobs,
  locked: (server, url, rounds) => locked(server, url, rounds, values.before),
  logs,
  mcp,
  memory: (_server, url, rounds) => underLoad(url, rounds),
  metrics,
  peers: againstPeers,
  images,
  provision,
  revocation,
  ruled,
  secured,
  storage,
  telling,
  together,
  webhooks,
};

const rounds = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
const unknown = positionals.filter(name => !(name in OTHERS) && !REQUESTS.includes(name as Topic));
if (unknown.length > 0) {
  throw new Error(`There is no topic ${unknown.join(', ')}; there are ${[...REQUESTS, ...Object.keys(OTHERS)].join(', ')}.`);
}
const wants = (name: string) => positionals.length === 0 || positionals.includes(name);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void server.stop().finally(() => process.exit(1)));
const server = await startServer(values.durable);
try {
  const about = `${circumstances(await version(), rounds)}${values.durable ? ' Commits wait for the disk.' : ''}`;
  const topics = REQUESTS.filter(wants);
  if (topics.length > 0) await report('requests', about, url => againstFloor(server, url, topics, rounds));
  for (const [name, run] of Object.entries(OTHERS).filter(([topic]) => wants(topic))) {
    await report(name, about, url => run(server, url, rounds));
  }
} finally {
  await server.stop();
}

async function report(name: string, about: string, run: (url: string) => Promise<Table>): Promise<void> {
  const text = `${about}\n\n${markdown(await run(await createDatabase(server, 'bench')))}`;
  console.log(`\n${name}: ${text}`);
  if (values.write) write(name, text);
}

async function version(): Promise<string> {
  const sql = connection(server.url);
  const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`;
  await sql.end();
  return row?.version ?? '';
}

import postgres from 'postgres';
import { test } from 'tap';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { migrate } from '../../gateway/start/migrate.ts';
import { addressOf, emptyFolder, startGateway } from '../boot/gateway.ts';
import { childrenOf } from '../harness/children.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { SERVICE_KEY, schema, tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const CALLERS = 20;
const ROWS = 30;
const TABLES = `
  create table notes (id integer primary key, owner text not null, version integer not null default 0);
  insert into notes select n, 'caller ' || n % ${CALLERS} from generate_series(1, ${CALLERS * ROWS}) n;
  create table tags (id text primary key, note_id integer references notes);
  insert into tags select 'tag ' || id, id from notes;
  alter table notes enable row level security;
  alter table tags enable row level security;
  create policy own on notes using (owner = (select service.uid())) with check (owner = (select service.uid()));
  create policy every on tags using (true);
  insert into service.users (uid, email) select 'caller ' || n, 'caller' || n || '@example.org' from generate_series(0, ${CALLERS - 1}) n;`;
/** Each leaves rows and rights as they are. */
const CHANGES = [
  'alter table notes add column if not exists later integer', 'alter table notes drop column if exists later',
  `alter policy own on notes using ((select service.uid()) = owner)`, `alter policy own on notes using (owner = (select service.uid()))`,
  'create index if not exists by_owner on notes (owner)', 'drop index if exists by_owner',
];

type Note = { id: number; owner: string; version: number };

for (const mode of ['always', 'on']) {
  test(`gets by 20 callers beside writes, DDL and kills of PostgreSQL, coalesced: ${mode} (RANDOM_SEED=${seed})`, async t => {
    const server = await startEmbedded({ dir: emptyFolder(t) });
    t.teardown(server.stop);
    const sql = postgres(server.url, { max: 8, fetch_types: false, onnotice: () => undefined });
    t.teardown(() => sql.end({ timeout: 0 }));
    await migrate(sql, schema);
    await sql.unsafe(TABLES).simple();
    const gateway = startGateway(t, {
      DATABASE_URL: server.url, SERVICE_SOURCE: 'tables', SERVICE_WORKERS: '2', DB_POOL_MAX: '16', SERVICE_COALESCE: mode,
    });
    const base = await addressOf(gateway);
    const whole = runs(2000);
    const seen = { right: 0, refused: 0, writes: 0, changes: 0, kills: 0, coalesced: 0, wrong: [] as string[] };

    await Promise.all([...Array.from({ length: CALLERS }, (_, n) => caller(n)), changes(), kills(), looks()]);
    t.same(seen.wrong, []);
    t.ok(seen.right >= whole, JSON.stringify(seen));
    t.ok(seen.writes > 0 && seen.changes > 0 && seen.kills > 0);

    /** A test that never sees a coalesced get runs into its time limit. */
    function isOver(): boolean {
      return seen.wrong.length > 0 || seen.right >= whole && seen.coalesced > 0;
    }

    async function looks(): Promise<void> {
      while (!isOver()) {
        seen.coalesced = Math.max(seen.coalesced, await coalescedIn(base)); // counted anew after each change
        await new Promise(resolve => { setTimeout(resolve, 20); });
      }
    }

    /** Asks for many rows at once, then writes one of its own. No other caller writes these, so SQL says what each answer must be. */
    async function caller(n: number): Promise<void> {
      const owner = `caller ${n}`;
      const as = await tokenFor(owner);
      const below = generator(seed + n);
      while (!isOver()) {
        const ids = Array.from({ length: 1 + below(12) }, () => 1 + below(CALLERS * ROWS));
        const asked = ids.map(id => below(3) === 0 ? id : 1 + (id - id % CALLERS + n + CALLERS - 1) % (CALLERS * ROWS));
        const answers = await Promise.all(asked.map(id => below(4) === 0 ? tagged(id, as) : get(`notes/${id}`, as)));
        const notes = new Map((await surely(() => sql<Note[]>`select id, owner, version from notes where owner = ${owner}`))
          .map(note => [note.id, note]));
        for (const [i, { status, note, text }] of answers.entries()) {
          const expected = notes.get(asked[i] ?? 0);
          const isRight = expected === undefined
            ? note === undefined && (status === 200 || status === 404)
            : note?.owner === owner && note.version === expected.version;
          if (status === 503) seen.refused += 1;
          else if (isRight) seen.right += 1;
          else seen.wrong.push(`${owner}, ${asked[i] ?? ''}: ${status} ${text}, by SQL ${JSON.stringify(expected)}`);
        }
        const own = [...notes.values()][below(notes.size)];
        if (own !== undefined) await write(own, as);
      }
    }

    async function write({ id, version }: Note, as: string): Promise<void> {
      const response = await fetch(`${base}/data/notes/${id}`, {
        method: 'PATCH', headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
        body: JSON.stringify({ version: version + 1 }),
      });
      const body = await response.json() as Note;
      if (response.status === 200) seen.writes += 1;
      else if (response.status !== 503) seen.wrong.push(`a write: ${response.status} ${JSON.stringify(body)}`);
    }

    async function get(path: string, as: string) {
      const response = await fetch(`${base}/data/${path}`, { headers: { authorization: `Bearer ${as}` } });
      const text = await response.text();
      return { status: response.status, text, note: response.status === 200 ? JSON.parse(text) as Note : undefined };
    }

    /** The note that a tag includes. */
    async function tagged(id: number, as: string) {
      const { status, text, note } = await get(`tags/${encodeURIComponent(`tag ${id}`)}?include=note`, as);
      return { status, text, note: (note as { note?: Note | null } | undefined)?.note ?? undefined };
    }

    async function changes(): Promise<void> {
      const below = generator(seed + CALLERS);
      while (!isOver()) {
        await surely(() => sql.unsafe(CHANGES[below(CHANGES.length)] ?? ''));
        seen.changes += 1;
        await new Promise(resolve => { setTimeout(resolve, 50 + below(200)); });
      }
    }

    /** Kills one of PostgreSQL's processes, whereupon it ends all others and recovers. */
    async function kills(): Promise<void> {
      const times = runs(10);
      const below = generator(seed + CALLERS + 1);
      for (let n = 1; n <= times && !isOver(); n++) {
        // A server that a kill met while clients were connecting waits five seconds for these before it recovers.
        await until('the next part is answered', () => seen.right >= whole * n / (times + 1) || isOver(), { limit: 120_000 });
        const processes = childrenOf(server, 'rowgate');
        process.kill(processes[below(processes.length)] ?? 0, 'SIGKILL');
        seen.kills += 1;
      }
    }
  });
}

/** Asks again until the database is there. */
async function surely<T>(ask: () => PromiseLike<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 300) throw error;
      await new Promise(resolve => { setTimeout(resolve, 100); });
    }
  }
}

/** How many gets of one shape a worker has coalesced. */
async function coalescedIn(base: string): Promise<number> {
  const response = await fetch(`${base}/data/notes/1?explain=true`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } });
  const { coalescing } = await response.json() as { coalescing?: { coalesced: number } };
  return coalescing?.coalesced ?? 0;
}

// Each secret and value that requests bring is looked for in all that was logged while they were served: by the gateway's own log at its
// lowest level, and in the ring.
import { test, type Test } from 'tap';
import { startGateway, type Gateway } from '../boot/gateway.ts';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import { JWT_SECRET, SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import type { Entry } from './client.ts';

const WORD = 'Needle-in-the-haystack-7';
const PASSWORD = `${WORD}-Password`;

const SETUP = `
  create table public.things (id int primary key, name text unique, amount int check (amount > 0), at timestamptz);
  alter table public.things enable row level security;
  create policy everyone on public.things using (true) with check (true);
  insert into public.things values (1, 'one', 1, now());
  create function public.refuse() returns trigger language plpgsql as $$
  begin
    if new.name like '%raise%' then raise exception 'not this: %', new.name using detail = new.name, hint = new.name; end if;
    if new.name like '%cast%' then perform new.name::int; end if;
    if new.name like '%fault%' then execute format('select %L from nowhere', new.name); end if;
    return new;
  end $$;
  create trigger refuse before insert or update on public.things for each row execute function public.refuse();`;

type Log = {
  gateway: Gateway; sql: TestDatabase['sql']; lines: () => Record<string, unknown>[]; ask: Ask;
};
type Ask = (path: string, options?: { method?: string; as?: string | null; body?: unknown; headers?: Record<string, string> }) =>
  Promise<{ status: number; text: string }>;

async function started(t: Test, env: Record<string, string>, setup = SETUP): Promise<Log> {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(setup).simple();
  const gateway = startGateway(t, { DATABASE_URL: url, SERVICE_SOURCE: 'tables', LOG_LEVEL: 'debug', ...env });
  const lines = () => gateway.output().split('\n').filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Record<string, unknown>);
  const serving = await until('it serves', async () => {
    const line = lines().find(({ msg }) => msg === 'serving');
    const printed = /Address\s+http:\S+?:(\d+)/.exec(gateway.output())?.[1];
    if (await Promise.race([gateway.ended.then(() => true), Promise.resolve(false)])) throw new Error(gateway.output());
    return line === undefined ? printed !== undefined && Number(printed) : line['port'] as number;
  });
  const base = `http://127.0.0.1:${serving}/api`;
  const ask: Ask = async (path, { method = 'GET', as = SERVICE_KEY, body, headers = {} } = {}) => {
    const response = await fetch(`${base}${path}`, {
      method, headers: { ...(as !== null && { authorization: `Bearer ${as}` }), 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { gateway, lines, ask, sql };
}

const HARDENED = {
  NODE_ENV: 'production', CORS_ORIGINS: 'https://app.example.com', SERVICE_HOST: '127.0.0.1', ALLOW_REGISTRATION: 'true',
  MFA_ENCRYPTION_KEY: 'a key for tests that is long enough 0123456789', SERVICE_LOG_RAW_QUERIES: 'true',
};

test('production prints JSON lines, and neither they nor the ring have a value of a request', async t => {
  const log = await started(t, HARDENED);
  const { ask, gateway, lines, sql } = log;
  const post = (path: string, body: unknown, as: string | null = SERVICE_KEY) => ask(path, { method: 'POST', as, body });
  await post('/auth/register', { email: `${WORD}@example.org`, password: PASSWORD }, null);
  await post('/auth/login', { email: `${WORD}@example.org`, password: `${PASSWORD}x` }, null);
  for (const as of [`${WORD}.${WORD}.${WORD}`, `rk_live_${WORD}`, WORD]) await ask(`/data/things?name=${WORD}`, { as });
  for (const query of ['name=@', 'id=@', 'orderBy=@', 'at=gt.@', 'searchString=@', '@=1', 'where={"@']) {
    await ask(`/data/things?${query.replace('@', WORD)}`, { headers: { 'x-custom': WORD, 'cookie': `a=${WORD}` } });
  }
  for (const body of [`{"name": "${WORD}`, WORD, `"${WORD}"`, `{'a': '${WORD}'}`, { id: 2, name: WORD, amount: -1 }, { id: WORD },
    { id: 1, name: WORD, amount: 1 }, { id: 3, name: WORD, at: WORD }, { id: 4, name: `${WORD}-raise`, amount: 1 },
    { id: 5, name: `${WORD}-cast`, amount: 1 }, { id: 6, name: `${WORD}-fault`, amount: 1 }]) {
    await post('/data/things', body);
  }
  await ask('/data/things', { headers: { traceparent: WORD, 'x-request-id': WORD } });
  // Where the database fails, its own words are logged.
  await sql`alter table public.things rename column name to elsewhere`;
  await sql`alter table service.sessions rename to elsewhere`;
  const failed = await post('/auth/login', { email: `${WORD}@example.org`, password: PASSWORD }, null);
  t.equal(failed.status, 500, failed.text);
  await ask(`/data/things?name=${WORD}`);
  const { entries } = JSON.parse((await ask('/admin/logs?limit=10000')).text) as { entries: Entry[] };
  t.ok(entries.length > 25, `${entries.length} entries`);
  const error = entries.find(({ level }) => level === 'error');
  t.match(error, { source: 'api', message: 'request failed' });
  t.match(error?.metadata, { path: '/api/auth/login', status: 500, requestId: /^[0-9a-f-]{36}$/ });
  t.match(error?.metadata['error'], { code: '42P01', message: /sessions/ });
  const printed = gateway.output();
  t.equal(lines().length, printed.trimEnd().split('\n').length, 'every line is JSON, the start included');
  t.ok(lines().some(({ msg, level }) => msg === 'request' && level === 20), 'at the lowest level');
  for (const secret of [WORD, PASSWORD, SERVICE_KEY, JWT_SECRET]) {
    t.same(printed.split('\n').filter(line => line.includes(secret)), []);
    t.same(entries.filter(entry => JSON.stringify(entry).includes(secret)), []);
  }
  t.notMatch(printed, /select .* from|insert into/i, 'no SQL');
});

test('outside production SERVICE_LOG_RAW_QUERIES shows the SQL of what failed, on standard output', async t => {
  const shown = await started(t, { SERVICE_LOG_RAW_QUERIES: 'true', ALLOW_REGISTRATION: 'true' });
  const register = { method: 'POST', as: null, body: { email: 'ada@example.org', password: PASSWORD } };
  t.equal((await shown.ask('/auth/register', register)).status, 201);
  await shown.sql`alter table service.sessions rename to elsewhere`;
  const login = { method: 'POST', as: null, body: { email: 'ada@example.org', password: PASSWORD } };
  t.equal((await shown.ask('/auth/login', login)).status, 500);
  t.match(shown.gateway.output(), /request failed.*query.*select .*service_private\./s);
  t.notMatch(shown.gateway.output(), PASSWORD);
  t.notMatch((await shown.ask('/admin/logs')).text, /service_private\.\w+\(/);
});

test('the links of the development mailbox are printed, and not in the ring', async t => {
  const { ask, gateway } = await started(t, { ALLOW_REGISTRATION: 'true' });
  await ask('/auth/register', { method: 'POST', as: null, body: { email: 'ada@example.org', password: PASSWORD } });
  const { text } = await ask('/admin/logs?search=mailbox');
  t.match(JSON.parse(text), { entries: [{ message: 'A mail is in the development mailbox.' }] });
  t.notMatch(text, /token=|ada@example/);
  t.match(gateway.output(), /A mail is in the development mailbox.*ada@example\.org.*http:\S+token=/);
});

test('a start that fails in production says so in JSON lines', async t => {
  const { ended } = startGateway(t, { NODE_ENV: 'production', PORT: 'none', SERVICE_WORKERS: 'x' });
  const { code, output } = await ended;
  t.equal(code, 1);
  const lines = output.trimEnd().split('\n').map(line => JSON.parse(line) as { level: number; msg: string });
  t.ok(lines.some(({ level, msg }) => level >= 50 && msg.startsWith('PORT')), output);
});

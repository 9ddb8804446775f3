import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const SETUP = `
  create schema app;
  grant usage on schema app to service_user;
  create function app.fails(event jsonb) returns void language plpgsql as $$ begin raise exception 'no'; end $$;
  create table things (id int primary key);
  alter table things enable row level security;
  create policy fails on things using (1 / (random() * 0)::int > 0);
  insert into things values (1)`;

type Line = { level: number; msg: string; requestId?: string };

/** A port that nothing listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

test('every line that is logged for a request carries its id', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-'));
  const configFile = join(folder, 'rowgate.json');
  writeFileSync(configFile, JSON.stringify({
    storage: { triggers: [{ path: 'notes/:name', events: ['finalize', 'delete'], handler: 'app.fails' }] },
  }));
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(SETUP).simple();
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => { lines.push(JSON.parse(line) as Line); } });
  const { address, close } = await openService(url, {
    SERVICE_SOURCE: 'tables', ALLOW_REGISTRATION: 'true', SERVICE_CONFIG_FILE: configFile, STORAGE_PATH: join(folder, 'files'),
    CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SECRET: 'a secret of tests', CAPTCHA_ROUTES: 'forgotPassword',
    CAPTCHA_VERIFY_URL: `http://127.0.0.1:${await closedPort()}/`, SERVICE_SLOW_REQUEST_MS: '1',
  }, undefined, log);
  t.teardown(close);

  const json = { 'content-type': 'application/json' };
  const solved = { ...json, 'cf-turnstile-response': 'x' };
  const person = { email: 'ada@example.org', password: 'Correct-horse-1' };
  const form = new FormData();
  form.append('key', 'notes/one');
  form.append('file', new Blob(['text'], { type: 'text/plain' }), 'one');
  const requests: [path: string, init: RequestInit, says: RegExp][] = [
    ['/auth/register', { method: 'POST', headers: json, body: JSON.stringify(person) }, /in the development mailbox/],
    ['/auth/forgot-password', { method: 'POST', headers: solved, body: JSON.stringify(person) }, /captcha/],
    ['/admin/users', { method: 'POST', headers: json, body: JSON.stringify({ email: 'bob@example.org' }) }, /in the development mailbox/],
    ['/storage/upload', { method: 'POST', body: form }, /notified of a file event failed|could not be called/],
    ['/data/things', {}, /request failed/],
    ['/data/things/count', {}, /slow request/],
  ];
  for (const [path, { headers, ...init }, says] of requests) {
    const id = randomUUID();
    const before = lines.length;
    const response = await fetch(`${address}/api${path}`, {
      ...init, headers: { authorization: `Bearer ${SERVICE_KEY}`, ...headers as Record<string, string>, 'x-request-id': id },
    });
    await response.arrayBuffer();
    const said = () => lines.slice(before);
    await until(`${path} says ${says.source}`, () => said().some(({ msg }) => says.test(msg)));
    t.same(said().filter(({ requestId }) => requestId !== id), [], path);
  }
});

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { createService, type ServiceOptions, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

export type Received = { headers: IncomingHttpHeaders; body: string; path: string };
/** `connections`: how many were made, whatever came by them. */
export type Receiver = { url: string; received: Received[]; connections: () => number; wait: (count: number) => Promise<Received[]> };
/** `number`: how many came before, with this one. */
export type AnswerTo = (answer: ServerResponse, received: Received, number: number) => void;

/** An HTTP server on this machine that keeps what it receives. */
export async function createReceiver(t: Pick<Test, 'teardown'>, answerTo: AnswerTo = thank): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer((incoming, answer) => {
    answer.on('error', () => undefined);
    void text(incoming).then(body => {
      const one = { headers: incoming.headers, body, path: incoming.url ?? '' };
      received.push(one);
      answerTo(answer, one, received.length);
    }, () => undefined);
  });
  server.on('connection', () => { connections += 1; }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url, received, connections: () => connections,
    wait: count => until(`${count} events arrive`, () => received.length >= count && received),
  };
}

const thank: AnswerTo = answer => { answer.end('thanks'); };

/** `printed`: its output so far. */
export type ReceiverProcess = { url: string; printed: () => string };

/** Runs the program of a receiver, which listens on PORT and verifies with ORDERS_SECRET, until the test ends. */
export async function startReceiver(t: Pick<Test, 'teardown'>, file: string, secret: string): Promise<ReceiverProcess> {
  const port = String(await freePort());
  const child = spawn(process.execPath, [file], { env: { ...process.env, PORT: port, ORDERS_SECRET: secret } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', piece => { output += String(piece); });
  t.teardown(() => { child.kill(); });
  const url = `http://127.0.0.1:${port}/`;
  await until('the receiver listens', () => fetch(url).then(({ status }) => status === 401, () => false));
  return { url, printed: () => output };
}

export type Hook = Record<string, unknown> & { id: string };

/** The variable that gives a start a settings file with these webhooks. */
export function hooksFile(t: Pick<Test, 'teardown'>, webhooks: object[], more: object = {}): { SERVICE_CONFIG_FILE: string } {
  const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  t.teardown(() => { rmSync(folder, { recursive: true }); });
  const file = join(folder, 'rowgate.json');
  writeFileSync(file, JSON.stringify({ jobs: { pollIntervalMs: 20 }, webhooks, ...more }));
  return { SERVICE_CONFIG_FILE: file };
}

export const ORDERS = `
  create table orders (id bigint primary key, name text, price numeric, secret text);
  alter table orders enable row level security;
  create policy all_rows on orders to public using (true);`;

/** A webhook of table orders that tells of everything. */
export function hook(url: string, more: object = {}): Hook {
  return { id: 'orders', url, table: 'orders', events: ['INSERT', 'UPDATE', 'DELETE'], allowPrivateNetworks: true, ...more };
}

export type Job = { id: string; status: string; attempts: number; last_error: string | null; payload: { body: string; eventId: string } };
export type Hooked = TestService & {
  jobs: () => Promise<Job[]>;
  /** Resolves once no job waits or runs. */
  over: () => Promise<Job[]>;
  /** Has all that waits come due. */
  hurry: () => Promise<unknown>;
  deliveries: () => Promise<Record<string, any>[]>;
};

/** A service on table orders with these webhooks. */
export async function createHooked(
  t: Pick<Test, 'teardown'>, webhooks: object[], { env = {}, ...more }: ServiceOptions = {},
): Promise<Hooked> {
  const service = await createService(t, { template: 'served', setup: ORDERS, env: { ...hooksFile(t, webhooks), ...env }, ...more });
  const { sql } = service;
  const jobs = async () => [...await sql<Job[]>`select id, status, attempts, last_error, payload from service.jobs order by place`];
  return {
    ...service, jobs,
    over: () => until('the jobs are over', async () => {
      const all = await jobs();
      return all.every(({ status }) => status === 'succeeded' || status === 'failed') && all;
    }),
    hurry: () => sql`update service.jobs set run_at = now() where status = 'pending' and run_at > now()`,
    deliveries: async () => [...await sql`select * from service.webhook_deliveries order by at`],
  };
}

/** Has the service send an event that no trigger enqueued. */
export function putEvent(sql: TestService['sql'], webhookId: string): Promise<unknown> {
  const payload = { webhookId, eventId: randomUUID(), event: 'INSERT', body: '{}' };
  return sql`
    select service_private.put_job('service.webhook', ${JSON.stringify(payload)}::text::jsonb, ${sql.json({ concurrencyKey: webhookId })})`;
}

/** The bodies of jobs that no gateway runs, as the database wrote them. */
export async function told(sql: TestService['sql']): Promise<Record<string, any>[]> {
  const rows = await sql<{ body: string }[]>`
    with gone as (delete from service.jobs where task = 'service.webhook' returning place, payload)
    select payload ->> 'body' as body from gone order by place`;
  return rows.map(({ body }) => JSON.parse(body) as Record<string, any>);
}

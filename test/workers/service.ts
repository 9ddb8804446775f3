import { get } from 'node:http';
import type { Test } from 'tap';
import { addressOf, startGateway, type Gateway } from '../boot/gateway.ts';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import { SERVICE_KEY, storeFiles } from '../harness/service.ts';
import { until } from '../harness/until.ts';

export const BOTH = ['1', '2'];
export const PATHS = [
  '/data/products/7', '/data/products?limit=20&orderBy=id', '/data/orders?limit=3&orderBy=id&include=customer', '/data/tags/count',
];

export type Answer = { status: number; worker: string | undefined; text: string };
export type Service = { gateway: Gateway; address: string; port: string; ask: (path: string) => Promise<Answer> };

/** The example served by a gateway process and its workers. */
export async function startService(
  t: Pick<Test, 'teardown'>, env: Record<string, string> = {},
): Promise<Service & { database: TestDatabase }> {
  const database = await createDatabase(t, { template: 'served_store' });
  return { ...await startOn(t, { DATABASE_URL: database.url, ...storeFiles, ...env }), database };
}

export async function startOn(t: Pick<Test, 'teardown'>, env: Record<string, string>): Promise<Service> {
  const gateway = startGateway(t, { SERVICE_WORKERS: '2', DB_POOL_MAX: '12', ...env });
  const address = await addressOf(gateway);
  return { gateway, address, port: new URL(address).port, ask: path => askOnce(`${address}${path}`) };
}

/** On a connection of its own, since it is connections that are shared out. Rejects when there is no answer. */
function askOnce(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { authorization: `Bearer ${SERVICE_KEY}` } }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => { text += part; }).on('error', reject);
      response.on('end',
        () => resolve({ status: response.statusCode ?? 0, worker: response.headers['x-rowgate-worker'] as string | undefined, text }));
    }).on('error', reject);
  });
}

/** Resolves when each of these workers has answered so that it fits. */
export async function answeredBy(
  { ask }: Pick<Service, 'ask'>, workers: string[], path: string, fits: (answer: Answer) => boolean,
): Promise<void> {
  const seen = new Set<string | undefined>();
  await until(`workers ${workers.join(' and ')} answer ${path}`, async () => {
    const answer = await ask(path).catch(() => undefined);
    if (answer !== undefined && fits(answer)) seen.add(answer.worker);
    return workers.every(worker => seen.has(worker));
  });
}

export const isOk = ({ status }: Answer): boolean => status === 200;

/** Pages that follow the tags of the example store. */
import type postgres from 'postgres';
import type { AnyPage } from '../../harness/browser.ts';
import { SERVICE_KEY } from '../../harness/service.ts';
import type { Proxy } from './proxy.ts';

export const HEARTBEAT = 1_000;

/** Follows the tags of a page, and writes down everything that it is told. */
export const script = (url: string, { origin = 'page', heartbeat = HEARTBEAT } = {}) => `
  window.told = [];
  window.errors = [];
  window.db = client.createClient({
    url: ${JSON.stringify(url)}, token: ${JSON.stringify(SERVICE_KEY)}, schema: { version: '', collections: {} }, warn() {},
    realtime: connection => client.realtime(connection, { heartbeat: ${heartbeat} }),
  });
  window.watch = (query = {}) => db.from('tags').subscribe(
    { where: { name: ['like', '${origin}%'] }, orderBy: [{ field: 'name' }], ...query },
    ({ data, state }) => told.push({ state, names: data.map(({ name }) => name).join() }),
    ({ code, message }) => errors.push({ code, message }));
  window.subscription = watch();`;

/** Resolves once the page shows these names, and says that it is live. */
export async function shows(page: AnyPage, names: string): Promise<void> {
  await page.until(`told.at(-1)?.state === 'live' && told.at(-1).names === ${JSON.stringify(names)}`);
}

/** Sockets that were asked for. */
export function sockets({ heads }: Proxy): number {
  return heads.filter(head => /upgrade: websocket/i.test(head)).length;
}

/** Writes behind the gateway's back. */
export const add = (sql: postgres.Sql, name: string) => sql`insert into tags (name) values (${name})`;

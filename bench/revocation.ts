/** How long another gateway still takes a credential that was ended at one. */
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { makeKey } from './accounts.ts';
import { number, type Table } from './report.ts';
import { SERVICE_KEY, start, type Running } from './servers.ts';

const TIMES = 300;

export async function revocation(_server: Embedded, url: string): Promise<Table> {
  const gateways = [await start('rowgate', url), await start('rowgate', url)] as const;
  const [here, there] = gateways;
  const asAdmin = { ...here, headers: { ...here.headers, authorization: `Bearer ${SERVICE_KEY}` } };
  const times: number[] = [];
  try {
    for (let n = 0; n < TIMES; n++) {
      const { id, key } = await makeKey(asAdmin);
      if (await status(there, key) !== 200) throw new Error('The key is not taken.');
      await fetch(`${here.url}/api/admin/api-keys/${id}`, { method: 'DELETE', headers: asAdmin.headers });
      const ended = performance.now();
      while (await status(there, key) !== 401);
      times.push(performance.now() - ended);
    }
  } finally {
    for (const gateway of gateways) await gateway.stop();
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => `${number(times[Math.ceil(TIMES * part) - 1] ?? NaN)} ms`;
  return {
    header: ['ended at one gateway', 'refused at the other after: p50', 'p99', 'the slowest'],
    rows: [[`${TIMES} API keys`, at(0.5), at(0.99), at(1)]],
  };
}

async function status({ url }: Running, key: string): Promise<number> {
  const response = await fetch(`${url}/api/data/posts/1`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
}

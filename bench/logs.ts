/** Reads beside a reader of the stream of the log, which has a line of each of them. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { CASES } from './cases.ts';
import { measure, type Entry, type Rounds } from './measure.ts';
import { cell, number, ratio, type Table } from './report.ts';
import { SERVICE_KEY, start, type Running } from './servers.ts';

export async function logs(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const rows: string[][] = [];
  for (const [name, env] of Object.entries({ 'one process': {}, 'two workers': { SERVICE_WORKERS: '2' } })) {
    const server = await start('rowgate', url, { env });
    try {
      rows.push(...await beside(postgres, name, server, rounds));
    } finally {
      await server.stop();
    }
  }
  return { header: ['', 'no stream', 'a stream', 'with / without', 'by CPU time'], rows };
}

async function beside(postgres: Embedded, name: string, server: Running, rounds: Rounds): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { topic, name: what, connections, asks: { rowgate: ask } } of CASES) {
    if (!['get', 'list'].includes(topic) || connections < 64 || ask === undefined) continue;
    let read = 0;
    let stream: IncomingMessage | undefined;
    const begin = async () => {
      stream = await open(server);
      stream.on('data', (chunk: Buffer) => { read += chunk.length; });
    };
    const end = () => { stream?.destroy(); return Promise.resolve(); };
    const entries = new Map<'without' | 'with', Entry>([
      ['without', { server, ask, connections, after: begin }],
      ['with', { server, ask, connections, after: end }],
    ]);
    const measured = await measure(postgres, entries, rounds);
    if (read === 0) throw new Error('The stream sent nothing.');
    const [without, during] = [measured.get('without'), measured.get('with')];
    rows.push([`${name}: ${what}; ${number(read / 2 ** 20)} MiB were read`, cell(without), cell(during), ...ratio(during, without)]);
  }
  return rows;
}

async function open({ url }: Running): Promise<IncomingMessage> {
  const request = get(`${url}/api/admin/logs/stream`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } });
  const [response] = await once(request, 'response') as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`The stream answers ${response.statusCode}.`);
  return response.on('error', () => undefined); // it is cut at the end of its round
}

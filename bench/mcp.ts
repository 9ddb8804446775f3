/** Tools of agents beside the same requests over REST, by the same API key. */
import type { Embedded } from '../gateway/embedded/embedded.ts';
import type { Ask } from './load/load.ts';
import { measure, type Rounds } from './measure.ts';
import { cell, ratio, type Table } from './report.ts';
import { SERVICE_KEY, start } from './servers.ts';

const CONNECTIONS = 64;
const rest = (path: string): Ask => ({ method: 'GET', path, body: '' });
const rpc = (method: string, params: object = {}): Ask =>
  ({ method: 'POST', path: '/mcp', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }).replaceAll('"#"', '#') });
const tool = (name: string, given: object): Ask => rpc('tools/call', { name, arguments: { collection: 'posts', ...given } });

const GET = rest('/api/data/posts/#');
/** The request of a tool, and the same of REST. */
const PAIRS: [name: string, ofTool: Ask, ofRest: Ask][] = [
  ['get_document (asked: 0.6)', tool('get_document', { id: '#' }), GET],
  ['query_collection, 50 rows, two filters (asked: 0.7)',
    tool('query_collection', { filter: { authorId: '#', status: 'live' }, limit: 50 }),
    rest('/api/data/posts?authorId=eq.#&status=eq.live&limit=50')],
  ['tools/list, beside the get (asked: 1)', rpc('tools/list'), GET],
];

export async function mcp(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const server = await start('rowgate', url, { env: { SERVICE_MCP_ENABLED: 'true', SERVICE_PUBLIC_URL: 'http://localhost' } });
  try {
    const made = await fetch(`${server.url}/api/admin/api-keys`, {
      method: 'POST', headers: { ...server.headers, authorization: `Bearer ${SERVICE_KEY}` },
      body: JSON.stringify({ name: 'agent', scopes: ['data:read'] }),
    });
    if (!made.ok) throw new Error(await made.text());
    const { key: { key } } = await made.json() as { key: { key: string } };
    // Agents count by themselves.
    const agent = { ...server, headers: { ...server.headers, authorization: `Bearer ${key}`, prefer: 'count=none' } };
    const rows: string[][] = [];
    for (const [name, ofTool, ofRest] of PAIRS) {
      const measured = await measure(postgres, new Map(Object.entries({ ofTool, ofRest }).map(([of, ask]) =>
        [of, { server: agent, ask, connections: CONNECTIONS }])), rounds);
      const [own, its] = [measured.get('ofTool'), measured.get('ofRest')];
      rows.push([name, cell(its), cell(own), ...ratio(own, its)]);
    }
    return { header: ['', 'REST', 'tool', 'of its requests/s', 'by CPU time'], rows };
  } finally {
    await server.stop();
  }
}

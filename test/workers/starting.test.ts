import { connect } from 'node:net';
import { test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { storeFiles } from '../harness/service.ts';
import { until } from '../harness/until.ts';

test('until a worker serves, clients are refused, and never answered by another service', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const port = await freePort();
  startGateway(t, { DATABASE_URL: url, ...storeFiles, SERVICE_WORKERS: '2', DB_POOL_MAX: '12', PORT: String(port) });
  const seen: string[] = [];
  await until('a worker serves', async () => seen[seen.push(await knock(port)) - 1] === SERVED);
  const resets = seen.filter(outcome => outcome === 'ECONNRESET'); // while the parent looks whether the port is free
  t.ok(resets.length <= 1, `${resets.length} resets`);
  t.same([...new Set(seen.filter(outcome => outcome !== 'ECONNRESET'))], ['ECONNREFUSED', SERVED]);
});

const SERVED = 'HTTP/1.1 200 OK';

/** The first line of an answer, or the error. */
function knock(port: number): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'));
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => { text += part; });
    socket.on('error', error => resolve((error as NodeJS.ErrnoException).code ?? error.message));
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''));
  });
}

import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

/** The answer to a client that asks for a WebSocket and gets none. */
export async function refusedUpgrade(address: string, path = '/'): Promise<{ status: number | undefined; body: unknown }> {
  const asked = request(new URL(path, address), { headers: {
    'connection': 'Upgrade', 'upgrade': 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  } });
  const [answer] = await once(asked.end(), 'response') as [IncomingMessage];
  return { status: answer.statusCode, body: await json(answer) };
}

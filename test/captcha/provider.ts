/** A provider of captchas. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';

export const SECRET = '0x4AAAAAAA-secret-of-ours';

export type Asked = { method: string | undefined; type: string | undefined; form: Record<string, string> };

/** An endpoint that speaks the providers' form: it confirms `good` for our secret, and says why it does not confirm others. */
export async function startProvider(
  t: Test, answer?: (response: ServerResponse, form: Record<string, string>) => void,
): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    void text(request).then(body => {
      const form = Object.fromEntries(new URLSearchParams(body));
      asked.push({ method: request.method, type: request.headers['content-type'], form });
      if (answer !== undefined) return answer(response, form);
      const codes = form['secret'] !== SECRET ? ['invalid-input-secret'] : form['response'] !== 'good' ? ['invalid-input-response'] : [];
      response.setHeader('content-type', 'application/json')
        .end(JSON.stringify({ success: codes.length === 0, 'error-codes': codes, hostname: 'app.example.com' }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`, asked };
}


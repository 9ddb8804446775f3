import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { test } from 'tap';
import { createService } from '../harness/service.ts';

test('where realtime is switched off, a WebSocket is refused with the setting that says so', async t => {
  const service = await createService(t, { template: 'served', env: { REALTIME_CDC: 'off' } });
  for (const path of ['/', '/api', '/api/data/none']) {
    const asked = request(new URL(path, service.address), { headers: {
      'connection': 'Upgrade', 'upgrade': 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    } });
    const [answer] = await once(asked.end(), 'response') as [IncomingMessage];
    t.match({ status: answer.statusCode, body: await json(answer) },
      { status: 501, body: { error: { code: 'FEATURE_DISABLED', details: { setting: 'REALTIME_CDC' } } } }, path);
  }
  t.equal((await fetch(new URL('/livez', service.address))).status, 200);
});

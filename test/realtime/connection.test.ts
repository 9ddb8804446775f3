import { once } from 'node:events';
import { test } from 'tap';
import { createService, SERVICE_KEY } from '../harness/service.ts';
import { connect } from '../harness/socket.ts';

const LIMIT = 100_000;

test('a socket', async t => {
  const service = await createService(t, { env: { SERVICE_MAX_BODY_SIZE: String(LIMIT), CORS_ORIGINS: 'https://app.example.com' } });

  await t.test('opens at any path, by any client', async t => {
    for (const path of ['/', '/api', '/api/data/products', '/any/where?x=1']) {
      const socket = await connect(t, service, { path });
      t.match(await socket.request('AUTHENTICATE', { token: SERVICE_KEY }), { type: 'AUTH_SUCCESS', payload: { uid: 'service', roles: ['admin'] } });
    }
    const own = new WebSocket(service.address.replace('http', 'ws'));
    await once(own, 'open');
    own.close();
  });
});

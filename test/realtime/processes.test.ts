// Sockets of a service that runs in several processes.
import { test } from 'tap';
import { PASSWORD } from '../accounts/people.ts';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { connect } from '../harness/socket.ts';

test('whichever process has a socket', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const gateway = startGateway(t,
    { DATABASE_URL: url, SERVICE_WORKERS: '2', DB_POOL_MAX: '12', SERVICE_SOURCE: 'tables', ALLOW_REGISTRATION: 'true' });
  const base = await addressOf(gateway);
  const service = { address: new URL(base).origin, account: () => undefined };
  const post = (path: string, body: object) =>
    fetch(`${base}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const signIn = async (path: string) => (await (await post(path, { email: 'ada@example.org', password: PASSWORD })).json() as {
    tokens: { accessToken: string; refreshToken: string };
  }).tokens;
  const [ending, staying] = [await signIn('/auth/register'), await signIn('/auth/login')];
  const open = (token: string) => Promise.all(Array.from({ length: 8 }, () => connect(t, service, { token })));
  const [signedOut, others] = [await open(ending.accessToken), await open(staying.accessToken)];

  t.equal((await post('/auth/logout', { refreshToken: ending.refreshToken })).status, 200);
  for (const socket of signedOut) {
    t.equal((await socket.next({ type: 'AUTH_ERROR' })).payload.error.code, 'SESSION_ENDED');
    t.equal((await socket.closed).code, 4001);
  }
  for (const socket of others) t.equal(await socket.refusal('FETCH_COLLECTION', { path: 'nothing' }), 'NO_COLLECTIONS');

  gateway.process.kill('SIGTERM');
  for (const socket of others) t.equal((await socket.closed).code, 1001);
  t.equal((await gateway.ended).code, 0);
});

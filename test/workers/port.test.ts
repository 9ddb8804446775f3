import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'tap';
import { claimPort } from '../../gateway/http/claim-port.ts';

const development = { port: 0, portNamed: false, production: false };

test('a claimed port is nobody else\'s, also while no worker listens on it', async t => {
  const claim = await claimPort(development);
  t.teardown(claim.release);
  const same = { ...development, port: claim.port };
  t.ok((await next(t, same)) > claim.port, 'the next one is taken');
  await t.rejects(claimPort({ ...same, portNamed: true }), { message: new RegExp(`^PORT ${claim.port} cannot be opened`) });
  claim.handOver();
  await t.rejects(claimPort({ ...same, portNamed: true }), { message: new RegExp(`^PORT ${claim.port} cannot be opened`) });
  await t.rejects(claimPort({ ...same, production: true }), { message: new RegExp(`^The default port ${claim.port} cannot be opened`) });
  claim.release();
  const again = await claimPort({ ...same, portNamed: true });
  t.equal(again.port, claim.port);
  again.release();
});

test('a port that another program has is not claimed', async t => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  await t.rejects(claimPort({ port, portNamed: true, production: false }), { message: new RegExp(`^PORT ${port} cannot be opened`) });
});

async function next(t: { teardown: (done: () => void) => void }, config: typeof development): Promise<number> {
  const claim = await claimPort(config);
  t.teardown(claim.release);
  return claim.port;
}

import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'tap';
import { claimPort } from '../../gateway/http/claim-port.ts';
import { joinOn } from '../../gateway/http/listen.ts';
import { App } from '../../gateway/http/uws.ts';

const development = { host: undefined, port: 0, portNamed: false, production: false };

test('a claimed port is exclusive, and accepts nothing until a worker joins', async t => {
  const claim = claimPort(development);
  t.teardown(claim.release);
  const same = { ...development, port: claim.port };
  t.ok(next(t, same) > claim.port, 'the next one is taken');
  for (const refused of [{ ...same, portNamed: true }, { ...same, production: true }]) {
    t.throws(() => claimPort(refused), { message: new RegExp(`ort ${claim.port} cannot be opened`, 'i') });
  }
  const address = `http://127.0.0.1:${claim.port}`;
  await t.rejects(fetch(address), { cause: { code: 'ECONNREFUSED' } });

  const worker = joinOn(App().any('/*', response => void response.end('served')), development, claim.port);
  t.equal(await (await fetch(address)).text(), 'served');
  t.throws(() => claimPort({ ...same, portNamed: true }));
  worker.close();
  claim.release();
  const again = claimPort({ ...same, portNamed: true });
  t.equal(again.port, claim.port);
  again.release();
});

test('a port that another program has is not claimed', async t => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  t.throws(() => claimPort({ ...development, port, portNamed: true }), { message: new RegExp(`^PORT ${port} cannot be opened`) });
});

function next(t: { teardown: (done: () => void) => void }, config: typeof development): number {
  const claim = claimPort(config);
  t.teardown(claim.release);
  return claim.port;
}

// Entrances beside requests: functions with the owner's rights, the network, a terminal.
import { spawnSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readConfig, type Environment } from '../../gateway/features/config.ts';
import { claimPort } from '../../gateway/http/claim-port.ts';
import { joinOn } from '../../gateway/http/listen.ts';
import { App } from '../../gateway/http/uws.ts';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { createService } from '../harness/service.ts';
import { build, get, productionEnv } from '../http/serve.ts';
import { collections } from '../write/client.ts';

test('the finder of a search answers only a session that has entered', async t => {
  const secrets = {
    slug: 'secrets', properties: { id: { type: 'number', isId: 'increment' }, text: { type: 'string' } },
    search: { fields: ['text'] }, securityRules: [{ operation: 'select', roles: ['staff'] }],
  };
  const { sql, request } = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, secrets) } });
  await sql`insert into secrets (text) values ('the merger is on Monday')`;
  const asked = (entered: boolean) => sql.begin(async transaction => {
    await transaction`set local role service_user`;
    if (entered) await transaction`select service.enter('u1')`;
    return transaction`select service_private.secrets__search('merger') as found`;
  });
  await t.rejects(asked(false), { code: '42501', message: /^No caller has entered/ });
  t.equal((await asked(true)).length, 1);
  t.equal((await request('/data/secrets?searchString=merger')).body.meta.total, 1, 'and searches find as ever');
});

/** Whether a server answers at this address. */
function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: 2_000 });
    const settle = (open: boolean) => { socket.destroy(); resolve(open); };
    socket.once('connect', () => settle(true)).once('error', () => settle(false)).once('timeout', () => settle(false));
  });
}

const addresses = Object.values(networkInterfaces()).flatMap(found => found ?? []);
const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test('development listens for this machine alone, production and SERVICE_HOST say otherwise', async t => {
  const routes = [get('/x', () => ({ body: '1' }))];
  const open = async (env: Environment) => {
    const { server } = build(routes, { env });
    const { port } = await server.listen();
    const found = [await isOpen('127.0.0.1', port), outside === undefined ? undefined : await isOpen(outside, port)];
    await server.close(0);
    return found;
  };
  const seen = outside === undefined ? undefined : true;
  const unseen = outside === undefined ? undefined : false;
  t.same(await open({}), [true, unseen]);
  t.same(await open({ SERVICE_HOST: '0.0.0.0' }), [true, seen]);
  t.same(await open(productionEnv), [true, seen]);
  t.same(await open({ ...productionEnv, SERVICE_HOST: '127.0.0.1' }), [true, unseen]);
  const nowhere = build(routes, { env: { SERVICE_HOST: '192.0.2.1' } });
  await t.rejects(nowhere.server.listen(), { message: /^Port 0 of 192\.0\.2\.1 \(SERVICE_HOST\) cannot be opened/ });
});

test('workers do so too, on the port that the parent claims', async t => {
  const config = { host: undefined, port: 0, portNamed: true, production: false };
  const claim = claimPort(config);
  t.teardown(claim.release);
  const worker = joinOn(App().any('/*', response => void response.end('served')), config, claim.port);
  t.teardown(worker.close);
  t.ok(await isOpen('127.0.0.1', claim.port));
  if (outside !== undefined) t.notOk(await isOpen(outside, claim.port));
});

test('SERVICE_HOST is an address or a name', t => {
  for (const host of ['0.0.0.0', '::', '::1', 'localhost', 'db-1.internal']) t.equal(readConfig({ SERVICE_HOST: host }).host, host);
  for (const host of ['localhost:80', 'a b', 'http://x', '-/']) {
    t.throws(() => readConfig({ SERVICE_HOST: host }), { message: /^SERVICE_HOST must be/ });
  }
  t.end();
});

test('the start screen and the log show names, and do nothing that names say', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const hostile = ['a\'; touch pwned; \'', 'b\u001b[2Jc', 'd\n  Service key  mine', 'e\u202ef', 'g\u009b31mh'];
  for (const name of hostile) await sql`create table ${sql(name)} (id int primary key)`;
  for (const name of hostile.slice(0, 3)) {
    await sql`alter table ${sql(name)} enable row level security`;
    await sql`create policy everybody on ${sql(name)} using (true)`;
  }
  const gateway = startGateway(t, { DATABASE_URL: url, LOG_LEVEL: 'debug' });
  await Promise.race([addressOf(gateway), gateway.ended]);
  const shown = gateway.output();
  t.notMatch(shown.replaceAll(/\u001b\[\d+m/g, ''), /[\u001b\u009b\u202e]/, 'colours are the log\'s own');
  t.match(shown, /^ {2}Collections {2}a'; touch pwned; ', b\\u001b\[2Jc, d\\n {2}Service key {2}mine$/m);
  t.match(shown, /g\\u009b31mh is not served/);
  t.match(shown, /e\\u202ef is not served/);
  const pasted = /curl -H[^\n]*\\\n[^\n]*/.exec(shown)?.[0] ?? '';
  t.match(pasted, /touch/);
  const ran = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$#"; }\n${pasted}`], { cwd: gateway.folder, encoding: 'utf8' });
  t.equal(ran.stdout, '3\n', pasted);
  t.notOk(existsSync(join(gateway.folder, 'pwned')));
});

// Without allowPrivateNetworks a webhook reaches the public Internet alone, however an address is written: one attempt, nothing arrives.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'tap';
import { createHooked, createReceiver, hook } from './receiver.ts';

const insert = 'insert into orders (id) values (1)';

test('loopback and private networks are one attempt, in every notation, and nothing arrives', async t => {
  const receiver = await createReceiver(t);
  const { port } = new URL(receiver.url);
  const hosts = [
    '127.0.0.1', 'localhost', 'LOCALHOST.', 'a.localhost', '2130706433', '0x7f000001', '0x7f.1', '017700000001', '0177.0.0.1', '127.1',
    '0', '0.0.0.0',
    '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]', '[::127.0.0.1]', '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]', '127%2e0.0.1', '１２７.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '[fe80::1]', '[fd00::1]',
  ];
  const { sql, over, deliveries } = await createHooked(t,
    hosts.map((host, i) => hook(`http://${host}:${port}/`, { id: `${i}`, allowPrivateNetworks: false })));
  await sql.unsafe(insert);
  const jobs = await over();
  t.equal(jobs.length, hosts.length);
  for (const { status, attempts, last_error: error } of jobs) {
    t.match([status, attempts, error], ['failed', 1, /no public address/], error ?? '');
  }
  for (const { status_code: code, attempt, response_body: body } of await deliveries()) t.same([code, attempt, body], [0, 1, null]);
  t.equal(receiver.connections(), 0);
  t.equal((await deliveries()).length, hosts.length);
});

test('a name is judged by the address that its connection gets, each time', async t => {
  const receiver = await createReceiver(t);
  const { port } = new URL(receiver.url);
  const real = dns.lookup;
  let asked = 0;
  // The one name is public at the first look and this machine afterwards, the other is this machine in both families.
  const answers = (hostname: string): dns.LookupAddress[] => {
    if (hostname !== 'turns.example') return [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }];
    asked += 1;
    return [{ address: asked === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }];
  };
  const fake = (hostname: string, options: unknown, done: (error: null, found: dns.LookupAddress[]) => void) => {
    if (/\.example$/.test(hostname)) process.nextTick(done, null, answers(hostname));
    else (real as (...given: unknown[]) => void)(hostname, options, done);
  };
  t.teardown(() => { dns.lookup = real; syncBuiltinESMExports(); });
  dns.lookup = fake as unknown as typeof dns.lookup;
  syncBuiltinESMExports();
  const { sql, over } = await createHooked(t, [
    hook(`http://turns.example:${port}`, { id: 'turns', allowPrivateNetworks: false }),
    hook(`http://inside.example:${port}`, { id: 'inside', allowPrivateNetworks: false }),
  ]);
  await sql.unsafe(insert);
  await over();
  await sql`select service.webhook_replay(id) from service.jobs where payload ->> 'webhookId' = 'turns'`;
  for (const { status, attempts, last_error: error } of await over()) {
    t.match([status, attempts, error], ['failed', 1, /has no public address/]);
  }
  t.equal(asked, 2, 'the name is looked up for each connection');
  t.equal(receiver.connections(), 0);
});

test('a redirect from an allowed receiver to this machine is not followed', async t => {
  const inside = await createReceiver(t);
  const receiver = await createReceiver(t, answer => { answer.writeHead(307, { location: inside.url }).end(); });
  const { sql, over } = await createHooked(t, [hook(receiver.url)]);
  await sql.unsafe(insert);
  t.match(await over(), [{ status: 'failed', attempts: 1 }]);
  t.equal(inside.connections(), 0);
});

// The client towards other servers, against real ones that misbehave.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type Test } from 'tap';
import { isPrivateAddress } from '../../gateway/outbound/private-addresses.ts';
import { request, type Outbound } from '../../gateway/outbound/request.ts';
import { scaled } from '../harness/until.ts';

async function serve(t: Pick<Test, 'teardown'>, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = (url: string, more: Partial<Outbound> = {}) => request({ url, deadline: scaled(5_000), most: 1_000, reach: 'any', ...more });

test('a request brings the answer, of any status', async t => {
  const seen: string[] = [];
  const url = await serve(t, (incoming, outgoing) => {
    let body = '';
    incoming.on('data', piece => { body += String(piece); }).on('end', () => {
      seen.push(`${incoming.method ?? ''} ${incoming.url ?? ''} ${String(incoming.headers['x-a'] ?? '')} ${body}`);
      outgoing.writeHead(incoming.url === '/none' ? 404 : 200, { 'x-b': 'c' }).end('hello');
    });
  });
  t.match(await ask(`${url}/a?b=c`), { status: 200, headers: { 'x-b': 'c' } });
  t.equal((await ask(`${url}/none`, { method: 'POST', headers: { 'x-a': 'd' }, body: 'ü' })).status, 404);
  t.equal((await ask(url)).body.toString(), 'hello');
  t.same(seen, ['GET /a?b=c  ', 'POST /none d ü', 'GET /  ']);
});

test('the deadline holds for the head and for the body', async t => {
  const silent = await serve(t, () => undefined);
  await t.rejects(ask(silent, { deadline: 100 }), { name: 'OutboundError', message: /did not answer in time/ });
  const endless = await serve(t, (_, outgoing) => { outgoing.writeHead(200).write('a'); });
  await t.rejects(ask(endless, { deadline: 200 }), { name: 'OutboundError', message: /did not answer in time/ });
});

test('an answer ends at its bound, however it is sent', async t => {
  const announced = await serve(t, (_, outgoing) => { outgoing.writeHead(200, { 'content-length': '1001' }).end('x'.repeat(1_001)); });
  await t.rejects(ask(announced), { message: /more than 1000 bytes/ });
  const streamed = await serve(t, (_, outgoing) => { setInterval(() => outgoing.write('x'.repeat(600)), 5).unref(); });
  await t.rejects(ask(streamed), { message: /more than 1000 bytes/ });
  t.equal((await ask(announced, { most: 1_001 })).body.length, 1_001);
});

test('redirects are followed where that is asked for, so often, and never with a body', async t => {
  const url = await serve(t, (incoming, outgoing) => {
    const left = Number(incoming.url?.slice(1));
    if (left === 0) outgoing.end('there');
    else outgoing.writeHead(302, { location: left === 99 ? 'ftp://example.org' : `/${left - 1}` }).end();
  });
  await t.rejects(ask(`${url}/1`), { message: /redirects, which is not followed/ });
  t.equal((await ask(`${url}/2`, { redirects: 2 })).body.toString(), 'there');
  await t.rejects(ask(`${url}/3`, { redirects: 2 }), { message: /redirects, which is not followed/ });
  await t.rejects(ask(`${url}/1`, { redirects: 2, method: 'POST', body: 'a' }), { message: /redirects a POST/ });
  await t.rejects(ask(`${url}/99`, { redirects: 2 }), { message: /no http or https URL/ });
});

test('a URL that others choose reaches public addresses only', async t => {
  let asked = 0;
  const url = await serve(t, (_, outgoing) => { asked += 1; outgoing.end(); });
  const { port } = new URL(url);
  const refused = [
    url, `http://localhost:${port}`, `http://2130706433:${port}`, `http://0x7f.1:${port}`, `http://0:${port}`, `http://[::1]:${port}`,
    `http://[::ffff:127.0.0.1]:${port}`, 'http://169.254.169.254/latest/meta-data', 'http://10.0.0.1', 'http://[fe80::1]',
    'http://[fd00::1]', `http://ada:secret@example.org:${port}`, 'file:///etc/passwd', 'gopher://127.0.0.1', 'no url', '',
  ];
  for (const one of refused) await t.rejects(ask(one, { reach: 'public', deadline: scaled(2_000) }), { name: 'OutboundError' }, one);
  t.equal(asked, 0, 'nothing was connected to');
  t.equal((await ask(url)).status, 200, 'the operator may name any address');
});

test('each address is judged by its range', t => {
  for (const address of ['8.8.8.8', '1.1.1.1', '193.0.6.139', '2606:4700:4700::1111', '2a00:1450:4001::1']) {
    t.equal(isPrivateAddress(address), false, address);
  }
  for (const address of [
    '0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.1.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1',
    '224.0.0.1', '255.255.255.255', '::', '::1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '2002:7f00:1::', 'fc00::1', 'fe80::1%eth0', 'ff02::1',
    '2001:db8::1', 'localhost', '',
  ]) t.equal(isPrivateAddress(address), true, address);
  t.end();
});

test('a server that is not there is named', async t => {
  const url = await serve(t, () => undefined);
  await t.rejects(ask(url.replace(/:\d+$/, ':1')),
    { name: 'OutboundError', message: /^127\.0\.0\.1:1 could not be asked: connect ECONNREFUSED/ });
});

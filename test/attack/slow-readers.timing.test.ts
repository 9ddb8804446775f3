// Clients that ask and do not read: an answer is memory, and theirs must not be everybody's.
import { test } from 'tap';
import { until } from '../harness/until.ts';
import { get, rawClient, serve, type LogLine } from '../http/serve.ts';

const CLIENTS = 40;
const LEFT = 'the client left before the answer';
const long = Buffer.alloc(20_000_000, 'abcdefghij');
const served = [
  get('/long', () => ({ body: long, type: 'application/octet-stream' })),
  get('/short', async () => ({ body: await Promise.resolve(long.subarray(0, 30_000)), type: 'application/octet-stream' })),
  get('/ping', () => ({ body: '"pong"' })),
];
const leftIn = (log: LogLine[]) => log.filter(({ msg }) => msg === LEFT).length;

test('forty who never read are waited for once and no longer; one who reads slowly gets all, and others do not notice', async t => {
  const { url, port, log } = await serve(t, served, { env: { SERVICE_READER_TIMEOUT: '2500' }, level: 'debug' });
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => rawClient(t, port)));
  for (const { socket, send } of clients) {
    socket.pause();
    send('GET /api/long HTTP/1.1\r\nHost: x\r\n\r\n');
  }
  const slow = await rawClient(t, port);
  const started = performance.now();
  slow.send('GET /api/long HTTP/1.1\r\nHost: x\r\n\r\n');
  slow.socket.on('data', () => { slow.socket.pause(); setTimeout(() => slow.socket.resume(), 15); });
  t.equal(await (await fetch(`${url}/api/ping`)).text(), '"pong"');
  const head = await slow.until(/\r\n\r\n/);
  t.ok((await slow.untilLength(head.indexOf('\r\n\r\n') + 4 + long.length)).endsWith('abcdefghij'), 'all of it');
  t.ok(performance.now() - started > 3_000, 'in more than the time that one who takes nothing is given');
  await until('all of them are noticed', () => Promise.resolve(leftIn(log) === CLIENTS));
  t.equal(leftIn(log), CLIENTS);
});

test('a client that sends requests and reads nothing gets no more answers', async t => {
  const { url, port, log } = await serve(t, served, { level: 'debug' });
  const noopListen = await Promise.all(Array.from({ length: 4 }, () => rawClient(t, port)));
  for (const { socket, send } of noopListen) {
    socket.pause();
    // The system takes some of it; 60 MB it does not.
    for (let asked = 0; asked < 2_000 && !socket.closed; asked += 1) {
      send('GET /api/short HTTP/1.1\r\nHost: x\r\n\r\n');
      await fetch(`${url}/api/ping`);
    }
    t.ok(socket.closed, 'the connection was ended');
  }
  t.equal(leftIn(log), noopListen.length);
});

test('a client that takes nothing of an answer is cut off before its end, one that takes a little gets all', async t => {
  const { port, log } = await serve(t, served, { env: { SERVICE_READER_TIMEOUT: '1000' }, level: 'debug' });
  const [noopListen, slow] = [await rawClient(t, port), await rawClient(t, port)];
  for (const { socket, send } of [noopListen, slow]) {
    socket.pause();
    send('GET /api/long HTTP/1.1\r\nHost: x\r\n\r\n');
  }
  slow.socket.on('data', () => { slow.socket.pause(); setTimeout(() => slow.socket.resume(), 10); });
  slow.socket.resume();
  const head = await slow.until(/\r\n\r\n/);
  t.ok((await slow.untilLength(head.indexOf('\r\n\r\n') + 4 + long.length)).endsWith('abcdefghij'), 'all of it');
  await until('it is noticed', () => Promise.resolve(leftIn(log) === 1));
  noopListen.socket.resume();
  t.ok((await noopListen.rest()).length < long.length, 'the connection ended before the end');
});

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { test, type Test } from 'tap';
import { WebSocketServer, type WebSocket as ServerSocket } from 'ws';
import { lendService } from '../../harness/lend.ts';
import { createService } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';
import { openProxy } from './proxy.ts';
import { openRealtime } from './watched.ts';

/** A server that is none of ours. It answers other requests as a service does. */
async function serve(t: Pick<Test, 'teardown'>, handle: (socket: ServerSocket) => void): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', handle);
  t.teardown(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a runtime without WebSocket is told at once', t => {
  const kept = globalThis.WebSocket;
  t.teardown(() => { globalThis.WebSocket = kept; });
  Reflect.deleteProperty(globalThis, 'WebSocket');
  const client = openRealtime(t, 'http://127.0.0.1:1');
  t.throws(() => client.watch({ path: 'tags' }), { name: 'RowgateError', code: 'NOT_SUPPORTED' });
  t.throws(() => client.channel('room'), { name: 'RowgateError', code: 'NOT_SUPPORTED' });
  globalThis.WebSocket = kept;
  t.equal(client.watch({ path: 'tags' }).state, 'offline', 'and works once there is one');
  t.equal(client.channel('room').state, 'offline');
  t.end();
});

test('an address that is none is told', async t => {
  const tags = openRealtime(t, 'nowhere').watch({ path: 'tags' });
  await until('it is told', () => tags.errors.length > 0);
  t.match(tags.errors, [{ name: 'RowgateError', code: 'NETWORK', status: 0, details: { reason: 'connection' } }]);
});

test('a socket that the service refuses for its origin is told, and so is a service without realtime', async t => {
  const service = await lendService(t, {});
  const off = await createService(t, { template: 'served', env: { REALTIME_CDC: 'off' } });
  class OfAnotherOrigin extends WebSocket {
    constructor(url: string) {
      super(url, { headers: { origin: 'https://elsewhere.example' } });
    }
  }
  const refused = openRealtime(t, service.address, { WebSocket: OfAnotherOrigin });
  const [tags, others] = [refused.watch({ path: 'tags' }), openRealtime(t, off.address).watch({ path: 'tags' })];
  const states: string[] = [];
  const room = refused.channel('room', { onError: ({ code }) => states.push(code) });
  for (const { errors } of [tags, others]) {
    await until('it is told', () => errors.length > 0);
    t.match(errors, [{ name: 'RowgateError', code: 'NETWORK', message: /CORS_ORIGINS.*REALTIME_CDC/ }]);
  }
  t.same(states, ['NETWORK']);
  t.same([tags.state, others.state, room.state], ['offline', 'offline', 'offline']);

  const late = [refused.watch({ path: 'tags' }), refused.watch({ path: 'products' })];
  refused.channel('another', { onError: ({ code }) => states.push(code) });
  t.same([states.length, ...late.map(({ errors }) => errors.length)], [1, 0, 0], 'not before they are there');
  late[0]?.unsubscribe();
  await Promise.resolve();
  t.same(late[0]?.errors, [], 'one that has ended is told nothing');
  t.match(late[1]?.errors, [{ code: 'NETWORK', message: /CORS_ORIGINS/ }], 'another list that comes later is told at once');
  t.same(states, ['NETWORK', 'NETWORK'], 'so is a channel');
});

test('a service that comes back and refuses the socket is told too, and no more once the socket opens', async t => {
  const service = await lendService(t, {});
  const proxy = await openProxy(t, () => service.address);
  proxy.refuse(true);
  let origin: string | undefined = 'https://elsewhere.example';
  const lost = new Set<WebSocket>();
  class OfAPage extends WebSocket {
    constructor(url: string) {
      super(url, { headers: origin === undefined ? {} : { origin } });
      const isLost = () => { lost.add(this); };
      for (const event of ['error', 'close']) this.addEventListener(event, isLost);
    }
  }
  const client = openRealtime(t, proxy.url, { WebSocket: OfAPage });
  const tags = client.watch({ path: 'tags' });
  const { fetch } = globalThis;
  const looks: Promise<unknown>[] = [];
  t.capture(globalThis, 'fetch', (...asked: Parameters<typeof fetch>) => {
    const answer = fetch(...asked);
    looks.push(answer);
    return answer;
  });
  for (let attempt = 1; tags.errors.length === 0; attempt++) {
    await until('it is lost', () => lost.size >= attempt || tags.errors.length > 0);
    await Promise.allSettled(looks);
    await setImmediate(); // the client has the answer too
    if (attempt === 4) {
      t.same(tags.errors, [], 'a service that is not there is no refusal');
      proxy.refuse(false);
    }
    client.renew();
  }
  t.match(tags.errors, [{ code: 'NETWORK', message: /CORS_ORIGINS/ }]);
  t.equal(tags.state, 'offline');

  origin = undefined;
  client.renew();
  await tags.live();
  for (const path of ['tags', 'products']) {
    const late = client.watch({ path });
    await late.live();
    t.same(late.errors, [], 'it holds no longer');
  }
  t.equal(tags.errors.length, 1);
});

test('a server that closes each socket at once is told', async t => {
  const url = await serve(t, socket => { socket.close(); });
  const [signedIn, visitor] = [openRealtime(t, url), openRealtime(t, url, { token: () => undefined })];
  for (const { errors, told } of [signedIn.watch({ path: 'tags' }), visitor.watch({ path: 'tags' })]) {
    await until('it is told', () => errors.length > 0);
    t.match(errors, [{ code: 'NETWORK', message: /keeps no WebSocket open/ }]);
    t.same(told, []);
  }
});

test('a token function that rejects without a reason is told as any other failure', async t => {
  const { errors } = openRealtime(t, 'http://127.0.0.1:1', { token: () => new Promise<string>((...[, reject]) => { reject(); }) })
    .watch({ path: 'tags' });
  await until('it is told', () => errors.length > 0);
  t.match(errors, [{ code: 'NETWORK' }]);
});

test('half a frame loses the socket and nothing else, and one that is none of ours is passed over', async t => {
  const update = '{"type":"collection_update","subscriptionId":"s1","rows":[{"id":1}],"meta":{"total":1},"position":"p1"}';
  const WRONG = [update.slice(0, 60), '<html>', 'null'];
  const STRANGE = ['7', '[]', '{"type":null}', '{"type":"ERROR"}', '{"type":"collection_update","subscriptionId":"__proto__"}'];
  let count = 0;
  const url = await serve(t, socket => {
    const wrong = WRONG[count++];
    socket.on('message', text => {
      const { type, payload } = JSON.parse((text as Buffer).toString()) as { type: string; payload: { since?: string } };
      if (type === 'AUTHENTICATE') return socket.send('{"type":"AUTH_SUCCESS","requestId":"auth","payload":{"uid":"service"}}');
      if (type !== 'subscribe_collection') return;
      for (const strange of STRANGE) socket.send(strange);
      socket.send(payload.since === 'p1' ? '{"type":"collection_update","subscriptionId":"s1","unchanged":true,"position":"p1"}' : update);
      if (wrong !== undefined) socket.send(wrong);
    });
  });
  const tags = openRealtime(t, url).watch({ path: 'tags' });
  await until('all of them have come', () => tags.state === 'live' && count === WRONG.length + 1);
  t.same(tags.told.map(({ state }) => state), [...WRONG.flatMap(() => ['live', 'offline', 'catching up']), 'live']);
  t.same(new Set(tags.told.map(({ data }) => JSON.stringify(data))), new Set(['[{"id":1}]']));
});

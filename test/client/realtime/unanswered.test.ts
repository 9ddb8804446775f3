import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type Test } from 'tap';
import WebSocket, { WebSocketServer } from 'ws';
import { createService } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';
import { realtimeFile } from '../../realtime/channels.ts';
import { openRealtime, recorded } from './watched.ts';

/** A proxy on the level of frames. It swallows those of clients that are of one of these types. */
async function openSieve(t: Pick<Test, 'teardown'>, address: string) {
  const lost = new Set<string>();
  const swallowed: string[] = [];
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', client => {
    const service = new WebSocket(address.replace('http', 'ws'));
    const opened = once(service, 'open');
    client.on('message', bytes => {
      const text = (bytes as Buffer).toString();
      const { type } = JSON.parse(text) as { type: string };
      if (lost.has(type)) swallowed.push(type);
      else void opened.then(() => { service.send(text); });
    });
    service.on('message', bytes => { client.send((bytes as Buffer).toString()); });
    client.on('close', () => { service.terminate(); });
  });
  t.teardown(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lost, swallowed };
}

test('what the service does not answer while it answers heartbeats is not live, and is asked for again', async t => {
  const service = await createService(t, { env: realtimeFile(t, { channels: [{ match: 'chat:*', limit: 100 }] }) });
  const { url, lost, swallowed } = await openSieve(t, service.address);
  const wire = recorded();
  const client = openRealtime(t, url, { WebSocket: wire.WebSocket, heartbeat: 100 });
  const asked = (type: string) => swallowed.filter(its => its === type).length;

  for (const type of ['subscribe_collection', 'subscribe_one', 'channel_history']) lost.add(type);
  const list = client.watch({ path: 'tags', parameters: { where: '{"name":"answered"}' } });
  const row = client.watch({ path: 'tags', id: '1' });
  const heard: unknown[] = [];
  const room = client.channel('chat:room', { since: 0, onMessage: ({ payload }) => heard.push(payload) });
  await until('each is asked for again', () => [...lost].every(type => asked(type) > 1));
  await until('heartbeats are answered', () => wire.heard.filter(({ type }) => type === 'AUTH_SUCCESS').length > 2);
  t.same([list, row, room].map(({ state }) => state), ['catching up', 'catching up', 'catching up']);
  t.same([list.told, row.told], [[], []]);
  lost.clear();
  await service.sql`insert into tags (name) values ('answered')`;
  await list.live(rows => rows.length === 1);
  await row.live();
  await until('the channel is live', () => room.state === 'live');
  t.same([...list.errors, ...row.errors], []);

  // Its messages are still heard, but not the pages that would fill the gap before them.
  lost.add('channel_history');
  const before = asked('channel_history');
  await room.send('said', 1);
  await until('its page is asked for again', () => asked('channel_history') > before + 1);
  t.equal(room.state, 'catching up', 'a channel that lacks messages says so');
  t.same(heard, []);
  lost.clear();
  await until('it is told', () => heard.length === 1);
  t.equal(room.state, 'live');
  t.equal(wire.opened, 1);
});
